import Platform

/// Removal into the drive's trash, and the trash as a part of the tree.
extension BackupDrive {
  /// What `remove` does with a file. A rename over a file replaces it without trash, whatever this says: that is how
  /// programs save, and every saved version would be kept.
  public enum Deletion: Hashable, Sendable {
    /// Moves it to the trash of this user. Really removed are only files that nobody misses: those in a trash already
    /// (emptying has to free room), sidecars (they go with their file), empty files without a sidecar, what programs
    /// make for a moment (`EphemeralName`), and what was never committed.
    case trash(userID: UInt32)
    /// Removes it.
    case remove
  }

  /// Opens the trash of a user on this drive; `nil` when there is none and none is to be made.
  public func openTrash(of userID: UInt32, create: Bool) throws(TrashError) -> TrashFolder? {
    try TrashFolder.open(top: tree.withLock { $0.root }.descriptor, userID: userID, create: create)
  }

  // MARK: - Removal

  /// Moves a file to the trash, durably; `false` when it is not to go there. Its name is claimed by the caller. A move that
  /// fails is tried once more; then the file is where it was, the error is thrown, and noted for the log.
  func moveToTrash(_ name: FileName, in folder: DriveNode) throws(Errno) -> Bool {
    guard case .trash(let userID) = deletion else { return false }
    let found = try tree.withLock { (names) throws(Errno) -> (number: UInt64, path: RelativePath)? in
      guard let node = try names.resolve(name, in: folder.number), let entry = names.entries[node.number],
        node.kind != .directory, entry.isOnDrive || entry.coversFile
      else { return nil }
      let path = try names.path(of: folder.number).appending(entry.name ?? name)
      let isKept = try Self.isKept(path, in: try names.folder(folder.number))
      return isKept ? (node.number, path) : nil
    }
    guard let found else { return false }
    do throws(TrashError) { try trash(found.path, userID) } catch let first {
      // The trash may have been removed or exchanged between its opening and its use.
      do throws(TrashError) { try trash(found.path, userID) } catch let second {
        // Gone: the drive moved it, but could not say that it lasts.
        let error = second.errno == .noSuchFile ? first : second
        trashFailures.note(error, to: log)
        throw error.errno
      }
    }
    tree.withLock { names in
      names.detach(found.number)
      // Its sidecar has gone with it; a file that only has the name of one has not.
      guard let own = found.path.name, let parent = try? names.folder(folder.number) else { return }
      for name in [own, Sidecar.name(for: own)].compactMap({ $0 })
      where ((try? Namespace.kind(of: name, in: parent)) ?? nil) == nil {
        names.noteSidecar(name, in: folder.number, exists: false)
      }
    }
    noteRemoved(found.path)
    return true
  }

  private func trash(_ path: RelativePath, _ userID: UInt32) throws(TrashError) {
    guard let trash = try openTrash(of: userID, create: true) else { return }
    _ = try trash.trash(path)
  }

  /// Whether a removed file is kept in the trash, see `Deletion`.
  private static func isKept(_ path: RelativePath, in folder: SharedDescriptor) throws(Errno) -> Bool {
    guard let name = path.name, !TrashFolder.isReserved(path), !EphemeralName.matches(name) else { return false }
    let status = try folder.descriptor.status(of: name)
    guard status.kind == .file else { return true }
    if try Sidecar.isSidecar(name, in: folder.descriptor) { return false }
    // All of an old Mac's file may be in its resource fork.
    if status.size > 0 { return true }
    return try TrashFolder.sidecar(of: name, in: folder.descriptor) != nil
  }

  /// For the start of a session: joins files and sidecars that a crash parted on the way to the trash or back.
  func repairTrash(_ top: SharedDescriptor) {
    guard case .trash(let userID) = deletion else { return }
    do throws(TrashError) {
      guard let trash = try TrashFolder.open(top: top.descriptor, userID: userID, create: false) else { return }
      let count = try trash.repair()
      if count > 0 { log("joined \(count) sidecars with their files in the trash, or with what came out of it") }
    } catch { log("the trash was not checked: \(error)") }
  }

  // MARK: - The trash in the tree

  /// Whether a name at the top is that of a trash, anybody's: `.Trash` or `.Trash-UID`.
  public static func isTrash(_ name: FileName) -> Bool { TrashFolder.isTrash(name) }

  /// The trash folder of a user, which holds `files` and `info`; ENOENT when there is none.
  public func trashNode(of userID: UInt32) throws(Errno) -> DriveNode {
    let top = tree.withLock { $0.root }
    var node = root
    for name in try TrashFolder.place(below: top.descriptor, userID: userID).components {
      node = try lookup(name, in: node)
    }
    return node
  }

  /// Makes the trash folder of a user, with `files` and `info`, durably. EEXIST when it is there.
  public func makeTrash(of userID: UInt32) throws(Errno) -> DriveNode {
    _ = try writable()
    var exists = true
    do throws(Errno) { _ = try trashNode(of: userID) } catch .noSuchFile { exists = false }
    guard !exists else { throw .exists }
    do throws(TrashError) { _ = try openTrash(of: userID, create: true) } catch { throw error.errno }
    return try trashNode(of: userID)
  }

  /// Removes the empty trash folder of a user, durably.
  public func removeTrash(of userID: UInt32) throws(Errno) {
    let path = try TrashFolder.place(below: tree.withLock { $0.root }.descriptor, userID: userID)
    guard let name = path.name else { throw .invalid }
    var parent = root
    for name in path.parent.components { parent = try lookup(name, in: parent) }
    try removeDirectory(name, in: parent)
  }

  /// Whether a node is directly in a folder.
  public func isEntry(_ node: DriveNode, of folder: DriveNode) -> Bool {
    tree.withLock { $0.entries[node.number]?.parent == folder.number }
  }
}
