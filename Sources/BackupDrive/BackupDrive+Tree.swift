import Platform

/// Folders, removals, attributes.
extension BackupDrive {
  /// Makes a folder, durably.
  public func makeDirectory(_ name: FileName, in folder: DriveNode) throws(Errno) -> DriveNode {
    _ = try writable()
    try check(name, in: folder)
    return try claiming([NameKey(name, in: folder.number)]) { () throws(Errno) in
      let (node, parent) = try tree.withLock { (names) throws(Errno) in
        guard try names.resolve(name, in: folder.number) == nil else { throw .exists }
        try refuseTwin(of: name, in: folder.number, &names)
        let parent = try names.folder(folder.number)
        do throws(Errno) { try parent.descriptor.makeDirectory(name) } catch { throw Self.nameError(error, name) }
        return (names.adopt(name, in: folder.number, kind: .directory, isOnDrive: true), parent)
      }
      do throws(Errno) { try folderSync.synchronize(folder.number, parent) } catch {
        tree.withLock { names in
          // Only when nobody has put anything into it meanwhile.
          guard !names.holdsPending(node.number), (try? parent.descriptor.removeDirectory(name)) != nil else { return }
          names.detach(node.number)
        }
        throw error
      }
      return node
    }
  }

  /// Removes an empty folder, durably. ENOTEMPTY also when it holds only a file that is being made.
  public func removeDirectory(_ name: FileName, in folder: DriveNode) throws(Errno) {
    _ = try writable()
    guard !isService(name, in: folder) else { throw .noSuchFile }
    try claiming([NameKey(name, in: folder.number)]) { () throws(Errno) in
      let parent = try tree.withLock { (names) throws(Errno) in
        guard let node = try names.resolve(name, in: folder.number) else { throw .noSuchFile }
        guard node.kind == .directory else { throw .notDirectory }
        guard !names.holdsPending(node.number) else { throw .notEmpty }
        let parent = try names.folder(folder.number)
        try parent.descriptor.removeDirectory(names.entries[node.number]?.name ?? name)
        names.detach(node.number)
        return parent
      }
      try folderSync.synchronize(folder.number, parent)
    }
  }

  /// Removes a file or link, durably. Open handles go on with what it was; nothing of it is committed any more.
  public func remove(_ name: FileName, in folder: DriveNode) throws(Errno) {
    let session = try writable()
    guard !isService(name, in: folder) else { throw .noSuchFile }
    try claiming([NameKey(name, in: folder.number)]) { () throws(Errno) in
      let parent = try tree.withLock { (names) throws(Errno) -> SharedDescriptor? in
        guard let node = try names.resolve(name, in: folder.number), let entry = names.entries[node.number] else {
          throw .noSuchFile
        }
        guard node.kind != .directory else { throw .isDirectory }
        guard entry.isOnDrive || entry.coversFile else {
          names.detach(node.number)
          return nil
        }
        let parent = try names.folder(folder.number)
        try unlink(entry.name ?? name, in: parent, session)
        names.detach(node.number)
        return parent
      }
      if let parent { try folderSync.synchronize(folder.number, parent) }
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
    guard let versions = node.versions else {
      return try setTimesByName(of: node, accessed, modified)
    }
    // Not while a commit exchanges the two versions.
    try versions.writing.withLock { (_) throws(Errno) in
      let open = versions.state.withLock { $0.pending?.file ?? $0.committed }
      guard let open else { return try setTimesByName(of: node, accessed, modified) }
      let (first, second) = try bothTimes(accessed, modified) { () throws(Errno) in try open.descriptor.status() }
      try open.descriptor.setTimes(accessed: first, modified: second)
    }
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
