import Platform

/// Making and opening files.
extension BackupDrive {
  /// Makes an empty file that is on the drive when its first flush returns 0, and opens it for reading and writing. A
  /// name that is there under another normal form is opened instead, emptied with `truncate`; EEXIST with `exclusive`, and
  /// for a name that differs from another in the folder only in case.
  public func create(
    _ name: FileName, in folder: DriveNode, exclusive: Bool, truncate: Bool = true
  ) throws(Errno) -> (DriveNode, DriveHandle) {
    let session = try writable()
    try check(name, in: folder)
    let version = try session.newVersion()
    let found: (node: DriveNode, isNew: Bool)
    do throws(Errno) {
      found = try tree.wait { (names) throws(Errno) -> (node: DriveNode, isNew: Bool)? in
        guard names.claims.areFree(Namespace.claimKeys(name, in: folder.number)) else { return nil }
        let own: DriveName
        var covers = false
        if let node = try names.resolve(name, in: folder.number) {
          // The sidecar of a file is not seen: who writes one makes it, and it replaces the other when it is whole.
          guard let stored = names.entries[node.number]?.name, names.entries[node.number]?.isOnDrive == true,
            try isHidden(name, in: folder.number, &names)
          else { return (node, false) }
          names.detach(node.number, keepingName: true)
          own = DriveName(plain: stored)
          covers = true
        } else {
          own = try names.newName(for: name, in: folder.number)
          try refuseTwin(of: own.stored, in: folder.number, &names)
        }
        try record(own, version)
        let node = names.adopt(
          own.stored, in: folder.number, kind: .file, isOnDrive: false, real: own.needsRecord ? own.real : nil)
        names.setPresence(node.number, isOnDrive: false, coversFile: covers)
        if !abilities.holdsAttributes { node.versions?.record(own) }
        node.versions?.state.withLock { state in
          state.pending = version
          state.handles = 1
          state.writers = 1
        }
        return (node, true)
      }
    } catch {
      session.discard(version)
      throw error
    }
    if found.isNew, let versions = found.node.versions {
      return (found.node, DriveHandle(drive: self, node: found.node, versions: versions, writes: true, appends: false))
    }
    session.discard(version)
    guard !exclusive else { throw .exists }
    let handle = try open(found.node, reading: true, writing: true, truncate: truncate, append: false)
    return (found.node, handle)
  }

  /// Keeps the real name of a new file where the drive has attributes.
  func record(_ name: DriveName, _ version: PendingVersion) throws(Errno) {
    guard abilities.holdsAttributes else { return }
    try Self.record(name, version.file.descriptor)
  }

  static func record(_ name: DriveName, _ file: borrowing Descriptor) throws(Errno) {
    if name.needsRecord { return try file.setAttribute(Namespace.nativeRecord, to: name.real.bytes) }
    do throws(Errno) { try file.removeAttribute(Namespace.nativeRecord) } catch .noAttribute {}
  }

  /// Opens a file. Without `truncate` nothing is written, and nothing will be committed, before the first change.
  ///
  /// - Parameter append: every write goes to the end of the file, wherever the caller wants it. Not for a kernel that
  ///   caches writes.
  public func open(
    _ node: DriveNode, reading: Bool, writing: Bool, truncate: Bool, append: Bool
  ) throws(Errno) -> DriveHandle {
    let writes = writing || truncate
    if writes { _ = try writable() }
    guard let versions = node.versions else {
      throw node.kind == .directory ? .isDirectory : .notPermitted
    }
    try tree.withLock { (names) throws(Errno) in
      // Looked at and counted in one step: the release of the last handle before, which comes at its own time, takes the
      // committed file away, and a version begun without it would be empty.
      func count(_ file: SharedDescriptor?) -> Bool {
        versions.state.withLock { state in
          if state.committed == nil { state.committed = file }
          guard state.committed != nil || (state.isNew && state.pending != nil) else { return false }
          state.handles += 1
          if writes { state.writers += 1 }
          return true
        }
      }
      if !count(nil) { _ = count(try Self.openCommitted(node, &names)) }
    }
    let handle = DriveHandle(drive: self, node: node, versions: versions, writes: writes, appends: append)
    guard truncate else { return handle }
    do throws(Errno) { try handle.truncate(to: 0) } catch {
      handle.release()
      throw error
    }
    return handle
  }

  static func openCommitted(_ node: DriveNode, _ names: inout Namespace) throws(Errno) -> SharedDescriptor {
    guard let entry = names.entries[node.number], let name = entry.name, entry.isOnDrive else { throw .noSuchFile }
    let file = try names.folder(entry.parent).descriptor.open(name, [.read, .nonBlocking])
    guard try file.status().kind == .file else { throw .notPermitted }
    return SharedDescriptor(file)
  }
}

extension FileVersions {
  /// Keeps the real name of a file that is not on the drive. Always fits: the sidecar is new.
  func record(_ name: DriveName) {
    state.withLock { state in try? state.attributes.record(name) }
  }
}
