import Platform

/// Folders, removals, attributes.
extension BackupDrive {
  /// Makes a folder, durably.
  public func makeDirectory(_ name: FileName, in folder: DriveNode) throws(Errno) -> DriveNode {
    let session = try writable()
    try check(name, in: folder)
    return try claiming(Namespace.claimKeys(name, in: folder.number)) { () throws(Errno) in
      let (place, own, isStale) = try tree.withLock { (names) throws(Errno) in
        guard try names.resolve(name, in: folder.number) == nil else { throw .exists }
        let own = try names.newName(for: name, in: folder.number)
        try refuseTwin(of: own.stored, in: folder.number, &names)
        let place = Place(
          number: folder.number, folder: try names.folder(folder.number), name: own.stored,
          path: try names.path(of: folder.number).appending(own.stored))
        let left = try names.boundSidecar(of: own.stored, in: folder.number)
        let isWaiting = left.map { names.entries[folder.number]?.waiting.remove($0) != nil } ?? false
        return (place, own, left != nil && !isWaiting)
      }
      // What another folder of that name has left must not become this one's.
      if isStale { try put(AppleDouble(), of: place, session) }
      do throws(Errno) { try place.folder.descriptor.makeDirectory(own.stored) } catch {
        throw Self.nameError(error, name)
      }
      let node = tree.withLock {
        $0.adopt(
          own.stored, in: folder.number, kind: .directory, isOnDrive: true, real: own.needsRecord ? own.real : nil)
      }
      do throws(Errno) {
        if own.needsRecord { try record(own, at: place, session) }
        try folderSync.synchronize(folder.number, place.folder)
      } catch {
        tree.withLock { names in
          // Only when nobody has put anything into it meanwhile.
          guard !names.holdsPending(node.number), (try? place.folder.descriptor.removeDirectory(own.stored)) != nil
          else { return }
          names.detach(node.number)
        }
        throw error
      }
      return node
    }
  }

  /// Keeps the real name of a file or folder on the drive.
  func record(_ name: DriveName, at place: Place, _ session: Session) throws(Errno) {
    if abilities.holdsAttributes {
      let file = try place.folder.descriptor.open(place.name, [.read, .nonBlocking])
      try Self.record(name, file)
      return try file.synchronize()
    }
    try changeSidecar(of: place, session) { (content) throws(AppleDoubleError) in try content.record(name) }
  }

  /// Removes an empty folder, durably, with its sidecar. Sidecars that files have left in it go with it; ENOTEMPTY when
  /// there is anything else, also only a file that is being made.
  public func removeDirectory(_ name: FileName, in folder: DriveNode) throws(Errno) {
    let session = try writable()
    guard !isService(name, in: folder) else { throw .noSuchFile }
    try claiming(Namespace.claimKeys(name, in: folder.number)) { () throws(Errno) in
      let (node, place) = try tree.withLock { (names) throws(Errno) in
        guard let node = try names.resolve(name, in: folder.number) else { throw .noSuchFile }
        guard node.kind == .directory else { throw .notDirectory }
        return (node, try Self.place(of: node, &names))
      }
      try removingSidecar(of: place, session) { () throws(Errno) in
        try tree.withLock { (names) throws(Errno) in
          guard !names.holdsPending(node.number) else { throw .notEmpty }
          do throws(Errno) { try place.folder.descriptor.removeDirectory(place.name) } catch .notEmpty {
            try names.removeOrphans(in: node.number)
            try place.folder.descriptor.removeDirectory(place.name)
          }
          names.detach(node.number)
        }
        try folderSync.synchronize(folder.number, place.folder)
      }
    }
  }

  /// Removes something by `body`, which returns when that is durable, then its sidecar.
  private func removingSidecar(
    of place: Place, _ session: Session, _ body: () throws(Errno) -> Void
  ) throws(Errno) {
    guard let number = place.number, let own = try boundSidecar(of: place) else { return try body() }
    defer { tree.withLock { $0.noteSidecar(own, in: number, exists: false) } }
    let move = SidecarMove(file: place.path, target: nil, sidecar: place.path.parent.appending(own))
    try movingSidecar(move, session, body)
  }

  static func place(of node: DriveNode, _ names: inout Namespace) throws(Errno) -> Place {
    guard let entry = names.entries[node.number], let name = entry.name else { throw .busy }
    return Place(
      number: entry.parent, folder: try names.folder(entry.parent), name: name, path: try names.path(of: node.number))
  }

  /// Removes a file or link, durably, with its sidecar; into the drive's trash where `Deletion` and the kind of file say
  /// so. Open handles go on with what it was; nothing of it is committed any more.
  public func remove(_ name: FileName, in folder: DriveNode) throws(Errno) {
    let session = try writable()
    guard !isService(name, in: folder) else { throw .noSuchFile }
    try claiming(Namespace.claimKeys(name, in: folder.number)) { () throws(Errno) in
      if try moveToTrash(name, in: folder) { return }
      let found = try tree.withLock { (names) throws(Errno) -> (DriveNode, Place)? in
        guard let node = try names.resolve(name, in: folder.number), let entry = names.entries[node.number] else {
          throw .noSuchFile
        }
        guard node.kind != .directory else { throw .isDirectory }
        guard entry.isOnDrive || entry.coversFile else {
          names.detach(node.number)
          return nil
        }
        return (node, try Self.place(of: node, &names))
      }
      guard let (node, place) = found else { return }
      try removingSidecar(of: place, session) { () throws(Errno) in
        try tree.withLock { (names) throws(Errno) in
          try unlink(place.name, in: place.folder, session)
          names.detach(node.number)
          names.noteSidecar(place.name, in: folder.number, exists: false)
        }
        try folderSync.synchronize(folder.number, place.folder)
      }
      noteRemoved(place.path)
    }
  }

  /// A FUSE driver leaves an open file that is removed under a name of its own until it is closed, and a moment longer:
  /// that happens in our folder, not in the user's.
  func unlink(_ name: FileName, in folder: SharedDescriptor, _ session: Session) throws(Errno) {
    guard !hasJournal else { return try folder.descriptor.removeFile(name) }
    let temporary = try session.temporaryName()
    do throws(Errno) { try folder.descriptor.rename(name, to: temporary, in: session.folder.descriptor) } catch {
      // A full drive may have no room for another name.
      return try folder.descriptor.removeFile(name)
    }
    try? session.folder.descriptor.removeFile(temporary)
  }

  /// Sets times: of the pending version, with which they are committed, or of the file on the drive at once.
  public func setTimes(of node: DriveNode, accessed: TimeChange, modified: TimeChange) throws(Errno) {
    _ = try writable()
    defer { noteTimes(of: node) }
    guard let versions = node.versions else {
      return try setTimesByName(of: node, accessed, modified)
    }
    // Not while a commit exchanges the two versions.
    try versions.writing.withLock { (_) throws(Errno) in
      let (pending, committed) = versions.state.withLock { ($0.pending?.file, $0.committed) }
      guard let open = pending ?? committed else { return try setTimesByName(of: node, accessed, modified) }
      let (first, second) = try bothTimes(accessed, modified) { () throws(Errno) in try open.descriptor.status() }
      try open.descriptor.setTimes(accessed: first, modified: second)
      guard pending != nil else { return try recordTime(modified, of: node) }
      guard abilities.roundsTimes, modified != .keep else { return }
      versions.state.withLock { $0.pendingTime = modified.exact }
    }
  }

  private func recordTime(_ modified: TimeChange, of node: DriveNode) throws(Errno) {
    if modified != .keep { try recordTime(modified.exact, of: node) }
  }

  private func setTimesByName(of node: DriveNode, _ accessed: TimeChange, _ modified: TimeChange) throws(Errno) {
    try tree.withLock { (names) throws(Errno) in
      guard let entry = names.entries[node.number] else { throw .noSuchFile }
      guard let name = entry.name else {
        return try names.root.descriptor.setTimes(accessed: accessed, modified: modified)
      }
      let folder = try names.folder(entry.parent)
      let (first, second) = try bothTimes(accessed, modified) { () throws(Errno) in
        try folder.descriptor.status(of: name)
      }
      try folder.descriptor.setTimes(of: name, accessed: first, modified: second)
    }
    try recordTime(modified, of: node)
  }

  /// exfat-fuse answers 0 to a change of only one time, or to UTIME_NOW, and does nothing: it gets two times.
  private func bothTimes(
    _ accessed: TimeChange, _ modified: TimeChange, _ status: () throws(Errno) -> FileStatus
  ) throws(Errno) -> (TimeChange, TimeChange) {
    if hasJournal { return (accessed, modified) }
    let present = try status()
    func full(_ change: TimeChange, _ present: Timestamp) -> TimeChange {
      switch change {
      case .keep: .set(present)
      case .now: .set(.now)
      case .set: change
      }
    }
    return (full(accessed, present.accessed), full(modified, present.modified))
  }

  /// Cuts or grows a file that the caller has not open, and commits it; when others are writing it, with their commit.
  public func truncate(_ node: DriveNode, to size: Int64) throws(Errno) {
    let handle = try open(node, reading: false, writing: true, truncate: false, append: false)
    defer { handle.release() }
    guard let versions = node.versions else { return }
    try versions.writing.withLock { (_) throws(Errno) in
      let isShared = versions.state.withLock { $0.pending != nil }
      try resize(node, versions, to: size)
      if !isShared { try commit(node, versions) }
    }
  }
}

extension TimeChange {
  /// A time that somebody gave: that is kept exactly. The time of the call is as good as the drive's clock.
  var exact: Timestamp? {
    if case .set(let time) = self { return time }
    return nil
  }
}
