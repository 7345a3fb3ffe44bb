import Platform

/// The commit: data durable, then the name, then the folder.
extension BackupDrive {
  /// Where a version goes; its name is claimed.
  private struct Destination {
    let keys: Set<NameKey>
    let place: Place
    /// The drive has a file of that name which is to be replaced.
    let replaces: Bool
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
      if !destination.replaces {
        try place(pending, destination.place, session)
      } else if hasJournal {
        try exchange(pending, destination.place, session)
      } else {
        try replace(node, versions, pending, destination.place, session)
      }
      tree.withLock { $0.setPresence(node.number, isOnDrive: true) }
      versions.state.withLock { state in
        state.committed = pending.file
        state.isNew = false
        state.endVersion()
      }
    } catch {
      fail(node, versions, error)
      throw error
    }
  }

  /// Claims the name that the file has now; `nil` when it has lost it.
  private func claimDestination(of node: DriveNode) throws(Errno) -> Destination? {
    try tree.wait { (names) throws(Errno) -> Destination?? in
      guard let entry = names.entries[node.number], let name = entry.name else { return .some(nil) }
      let keys: Set<NameKey> = [NameKey(name, in: entry.parent)]
      let folder = try names.folder(entry.parent)
      let path = try names.path(of: node.number)
      guard names.claims.areFree(keys) else { return nil }
      // A file that was removed behind our back is made anew.
      var exists = entry.isOnDrive || entry.coversFile
      if exists { exists = try Namespace.kind(of: name, in: folder) != nil }
      _ = names.claims.take(keys)
      let place = Place(number: entry.parent, folder: folder, name: name, path: path)
      return .some(Destination(keys: keys, place: place, replaces: exists))
    }
  }

  /// A new name: never over something that came there behind our back.
  private func place(_ pending: PendingVersion, _ place: Place, _ session: Session) throws(Errno) {
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
      try step(.syncFolder)
      try sync(place)
      // Else the pending file may come back, and its removal would free the new file's clusters.
      try syncPending(temporaries)
    } catch {
      try? place.folder.descriptor.rename(place.name, to: pending.name, in: temporaries.descriptor)
      throw error
    }
  }

  /// Where one rename is safe: both versions are swapped, so that the old one can come back until all is durable.
  private func exchange(_ pending: PendingVersion, _ place: Place, _ session: Session) throws(Errno) {
    let temporaries = session.folder
    var canSwap = true
    try step(.moveIn)
    do throws(Errno) {
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
    _ node: DriveNode, _ versions: FileVersions, _ pending: PendingVersion, _ place: Place, _ session: Session
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
      try Replacement(drive: self, session: session, source: source, target: place).run(
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
