import Platform

/// The commit: data durable, then the name, then the folder.
extension BackupDrive {
  /// Where a version goes; its name is claimed.
  private struct Destination {
    let keys: Set<NameKey>
    let place: Place
    /// The drive has a file of that name which is to be replaced.
    let replaces: Bool
    /// That is another file, with a sidecar of its own.
    let covers: Bool
  }

  /// Commits the pending version, when there is one and the file has a name. Called with the file's `writing` lock. On an
  /// error the old version stands (or nothing is there) and the pending one is dropped, see `DriveHandle`.
  func commit(_ node: DriveNode, _ versions: FileVersions) throws(Errno) {
    let session = try writable()
    let (pending, failure) = versions.state.withLock { ($0.pending, $0.failure) }
    if let failure { throw failure }
    guard let pending, tree.withLock({ $0.entries[node.number] != nil }) else { return }
    do throws(Errno) {
      try step(.syncData)
      try pending.file.descriptor.synchronize()
      guard let destination = try claimDestination(of: node) else { return }
      defer { tree.withLock { $0.claims.release(destination.keys) } }
      let kept = try privateAttributes(behind: destination.place)
      let time = versions.state.withLock { $0.pendingTime }
      if !destination.replaces {
        try placeNew(versions, pending, destination.place, session)
      } else if destination.covers {
        try cover(node, versions, pending, destination.place, session)
      } else {
        try overwrite(node, versions, pending, destination.place, session)
      }
      tree.withLock { $0.setPresence(node.number, isOnDrive: true) }
      versions.state.withLock { state in
        state.committed = pending.file
        state.isNew = false
        state.attributes = AppleDouble()
        state.endVersion()
      }
      if destination.replaces, !destination.covers, abilities.roundsTimes {
        // The file is committed: a time that is as exact as the drive keeps it is not worth an error.
        do throws(Errno) { try recordTime(time, of: destination.place, session) } catch {
          log("\(destination.place.path): its time is rounded by the drive (\(error))")
        }
      }
      landed(destination.place, keeping: kept, session)
      noteCommitted(destination.place)
    } catch {
      fail(node, versions, error)
      throw error
    }
  }

  /// Claims the name that the file has now; `nil` when it has lost it.
  private func claimDestination(of node: DriveNode) throws(Errno) -> Destination? {
    try tree.wait { (names) throws(Errno) -> Destination?? in
      guard let entry = names.entries[node.number], let name = entry.name else { return .some(nil) }
      let keys = Namespace.claimKeys(name, in: entry.parent)
      let folder = try names.folder(entry.parent)
      let path = try names.path(of: node.number)
      guard names.claims.areFree(keys) else { return nil }
      // A file that was removed behind our back is made anew.
      var exists = entry.isOnDrive || entry.coversFile
      if exists { exists = try Namespace.kind(of: name, in: folder) != nil }
      _ = names.claims.take(keys)
      let place = Place(number: entry.parent, folder: folder, name: name, path: path)
      return .some(Destination(keys: keys, place: place, replaces: exists, covers: exists && entry.coversFile))
    }
  }

  private func overwrite(
    _ node: DriveNode, _ versions: FileVersions, _ pending: PendingVersion, _ place: Place, _ session: Session,
    canUndo: Bool = true
  ) throws(Errno) {
    if hasJournal {
      try exchange(pending, place, session, canUndo: canUndo)
    } else {
      try replace(node, versions, pending, place, session, syncsSource: !canUndo)
    }
  }

  /// What goes into the sidecar of a file that was not on the drive.
  private func newContent(_ versions: FileVersions, _ pending: PendingVersion) throws(Errno) -> AppleDouble {
    var (content, time) = versions.state.withLock { ($0.attributes, $0.pendingTime) }
    guard abilities.roundsTimes else { return content }
    let status = try pending.file.descriptor.status()
    do throws(AppleDoubleError) { try content.record(time, drive: status) } catch { throw error.errno }
    return content
  }

  /// A pending file onto another one: with its own sidecar, or without, never with the other's.
  private func cover(
    _ node: DriveNode, _ versions: FileVersions, _ pending: PendingVersion, _ place: Place, _ session: Session
  ) throws(Errno) {
    let content = try newContent(versions, pending)
    let number = place.number ?? Namespace.rootNumber
    let old = try tree.withLock { (names) throws(Errno) in try names.boundSidecar(of: place.name, in: number) }
    guard old != nil || !content.isEmpty, let own = try? sidecarPlace(of: place) else {
      return try overwrite(node, versions, pending, place, session)
    }
    let prepared = content.isEmpty ? nil : try prepare(content, session)
    defer { tree.withLock { $0.noteSidecar(own.name, in: number, exists: prepared != nil) } }
    let move = SidecarMove(
      file: session.path(of: pending), target: place.path, sidecar: prepared.map { session.path(of: $0) })
    do throws(Errno) {
      try movingSidecar(move, session) { () throws(Errno) in
        try overwrite(node, versions, pending, place, session, canUndo: false)
      }
    } catch {
      // Only now: a record that stays needs it.
      if let prepared { session.discard(prepared) }
      throw error
    }
  }

  /// A new file, and its sidecar with the same fsync of the folder. A sidecar of that name that another file has left is
  /// taken away before, durably, since it must never stand beside this one; one that came by itself has waited for it.
  private func placeNew(
    _ versions: FileVersions, _ pending: PendingVersion, _ place: Place, _ session: Session
  ) throws(Errno) {
    let number = place.number ?? Namespace.rootNumber
    var content = try newContent(versions, pending)
    guard let own = try? sidecarPlace(of: place) else { return try self.place(pending, place, session) }
    let present = try sidecar(of: place)
    let (isThere, isWaiting) = try tree.withLock { (names) throws(Errno) in
      let isThere = try names.summary(of: own.name, in: number) != nil
      return (isThere, names.entries[number]?.waiting.remove(own.name) != nil)
    }
    var leaves = false
    switch present {
    case .unusable where try boundSidecar(of: place) == nil:
      // A file of the user's has the sidecar's name.
      if !content.isEmpty { log("\(place.path): no place for its attributes, \(own.name) is another file") }
      leaves = true
    case .held(let waiting) where isWaiting:
      var merged = waiting
      do throws(AppleDoubleError) { try merged.takeAll(from: content) } catch { throw error.errno }
      leaves = merged == waiting
      content = merged
    case .frozen where isWaiting: leaves = true
    default: leaves = content.isEmpty && !isThere
    }
    if leaves { return try self.place(pending, place, session) }
    let prepared = content.isEmpty ? nil : try prepare(content, session)
    var aside: FileName?
    do throws(Errno) {
      if isThere {
        let name = try session.temporaryName()
        try own.folder.descriptor.rename(own.name, to: name, in: session.folder.descriptor)
        aside = name
        try sync(own)
      }
      try self.place(pending, place, session, sidecar: prepared, at: own)
    } catch {
      if let aside { try? session.folder.descriptor.rename(aside, to: own.name, in: own.folder.descriptor) }
      if let prepared { session.discard(prepared) }
      tree.withLock { $0.noteSidecar(own.name, in: number, exists: isThere) }
      throw error
    }
    if let aside { try? session.folder.descriptor.removeFile(aside) }
    tree.withLock { $0.noteSidecar(own.name, in: number, exists: prepared != nil) }
  }

  func boundSidecar(of place: Place) throws(Errno) -> FileName? {
    guard let number = place.number else { return nil }
    return try tree.withLock { (names) throws(Errno) in try names.boundSidecar(of: place.name, in: number) }
  }

  /// A new name: never over something that came there behind our back.
  private func place(
    _ pending: PendingVersion, _ place: Place, _ session: Session, sidecar: PendingVersion? = nil, at own: Place? = nil
  ) throws(Errno) {
    let temporaries = session.folder
    try step(.moveIn)
    do throws(Errno) {
      try temporaries.descriptor.rename(pending.name, to: place.name, in: place.folder.descriptor, .noReplace)
    } catch  where error == .invalid || error == .notImplemented || error == .notSupported {
      // A drive without such a rename; the name is claimed, so nobody here makes it meanwhile.
      guard try Namespace.kind(of: place.name, in: place.folder) == nil else { throw .exists }
      do throws(Errno) {
        try temporaries.descriptor.rename(pending.name, to: place.name, in: place.folder.descriptor)
      } catch { throw Self.nameError(error, place.name) }
    }
    do throws(Errno) {
      if let sidecar, let own {
        try temporaries.descriptor.rename(sidecar.name, to: own.name, in: own.folder.descriptor)
      }
      try step(.syncFolder)
      try sync(place)
      // Else the pending file may come back, and its removal would free the new file's clusters.
      try syncPending(temporaries)
    } catch {
      if let sidecar, let own {
        try? own.folder.descriptor.rename(own.name, to: sidecar.name, in: temporaries.descriptor)
      }
      try? place.folder.descriptor.rename(place.name, to: pending.name, in: temporaries.descriptor)
      throw error
    }
  }

  // MARK: - Sidecars that programs write themselves

  /// What foldicfs keeps in the sidecar that a file of this name is about to replace.
  func privateAttributes(behind place: Place) throws(Errno) -> AppleDouble {
    guard !abilities.holdsAttributes, let owner = ownerPlace(of: place) else { return AppleDouble() }
    return try sidecar(of: owner).content.privatePart
  }

  private func ownerPlace(of place: Place) -> Place? {
    guard Sidecar.hasForm(place.name), let owner = Sidecar.owner(of: place.name) else { return nil }
    return Place(
      number: place.number, folder: place.folder, name: owner, path: place.path.parent.appending(owner))
  }

  /// A file was committed or renamed under a `._` name: is it a sidecar it belongs to its file from now on, or waits for
  /// it.
  func landed(_ place: Place, keeping kept: AppleDouble, _ session: Session) {
    guard Sidecar.hasForm(place.name), let number = place.number else { return }
    do throws(Errno) {
      let (isSidecar, hasOwner) = try tree.withLock { (names) throws(Errno) in
        names.entries[number]?.sidecars[place.name] = nil
        if let owner = Sidecar.owner(of: place.name) { names.entries[number]?.realNames[owner] = nil }
        let isSidecar = try names.summary(of: place.name, in: number)?.isSidecar ?? false
        let hasOwner = try names.ownerExists(of: place.name, in: number)
        if isSidecar, !hasOwner { names.entries[number]?.waiting.insert(place.name) }
        return (isSidecar, hasOwner)
      }
      guard isSidecar, hasOwner, !kept.isEmpty, let owner = ownerPlace(of: place) else { return }
      try changeSidecar(of: owner, session) { (content) throws(AppleDoubleError) in try content.takePrivate(from: kept)
      }
    } catch {
      log("\(place.path): the exact time of its file is lost (\(error))")
    }
  }

  /// Where one rename is safe: both versions are swapped, so that the old one can come back until all is durable.
  private func exchange(
    _ pending: PendingVersion, _ place: Place, _ session: Session, canUndo: Bool
  ) throws(Errno) {
    let temporaries = session.folder
    var canSwap = canUndo
    try step(.moveIn)
    do throws(Errno) {
      guard canUndo else { throw .notSupported }
      try temporaries.descriptor.rename(pending.name, to: place.name, in: place.folder.descriptor, .exchange)
    } catch  where error == .invalid || error == .notImplemented || error == .notSupported {
      canSwap = false
      try temporaries.descriptor.rename(pending.name, to: place.name, in: place.folder.descriptor)
    }
    do throws(Errno) {
      try step(.syncFolder)
      try sync(place)
    } catch {
      if canSwap {
        try? temporaries.descriptor.rename(pending.name, to: place.name, in: place.folder.descriptor, .exchange)
      }
      throw error
    }
    if canSwap { try? temporaries.descriptor.removeFile(pending.name) }
  }

  private func replace(
    _ node: DriveNode, _ versions: FileVersions, _ pending: PendingVersion, _ place: Place, _ session: Session,
    syncsSource: Bool
  ) throws(Errno) {
    // While the name is away the table vouches for it.
    let covers = tree.withLock { names in
      let entry = names.entries[node.number]
      names.setPresence(node.number, isOnDrive: false, coversFile: true)
      return entry.map { !$0.isOnDrive } ?? false
    }
    let path = RelativePath([DriveMark.folderName, Session.temporaryName, session.name, pending.name])
    let source = Place(number: nil, folder: session.folder, name: pending.name, path: path)
    let temporaries = session.folder
    do throws(Errno) {
      try Replacement(drive: self, session: session, source: source, target: place, syncsSource: syncsSource).run(
        moveIn: { () throws(Errno) in
          try temporaries.descriptor.rename(pending.name, to: place.name, in: place.folder.descriptor)
        },
        moveOut: { () throws(Errno) in
          try place.folder.descriptor.rename(place.name, to: pending.name, in: temporaries.descriptor)
        })
    } catch {
      tree.withLock { $0.setPresence(node.number, isOnDrive: !covers, coversFile: covers) }
      throw error
    }
  }
}
