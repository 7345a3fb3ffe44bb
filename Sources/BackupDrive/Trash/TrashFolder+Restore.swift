import Platform

extension TrashFolder {
  private static let action = "restore"

  /// Moves an item and its sidecar back to where it was, making missing folders; never over anything. Returns the place.
  public func restore(_ item: FileName) throws(TrashError) -> RelativePath {
    let path = try readInfo(of: item, for: Self.action).path
    guard !Self.isReserved(path) else { throw TrashError(.badInfo, Self.action, item, .notPermitted) }
    do throws(Errno) {
      guard let name = path.name else { throw .invalid }
      guard try Self.exists(item, in: files) else { throw .noSuchFile }
      let target = try makeFolders(path.parent)
      guard try !Self.exists(name, in: target) else { throw .exists }
      try clearSidecarPlace(of: name, in: target, at: path.parent, needed: Self.sidecar(of: item, in: files) != nil)
      try Self.move(item, in: files, to: name, in: target)
      try bringSidecar(of: item, to: name, in: target)
      try target.synchronize()
      try files.synchronize()
      discardInfo(of: item)
      return path
    } catch .noSuchFile {
      throw TrashError(.noSuchItem, Self.action, item, .noSuchFile)
    } catch .exists {
      throw TrashError(.placeTaken, Self.action, path, .exists)
    } catch {
      throw TrashError(.system, Self.action, path, error)
    }
  }

  private func makeFolders(_ path: RelativePath) throws(Errno) -> Descriptor {
    var current = try top.duplicate()
    for name in path.components {
      do throws(Errno) {
        try current.makeDirectory(name)
        try current.synchronize()
      } catch .exists {}
      current = try current.open(name, [.read, .directory])
    }
    return current
  }

  /// An orphan `._x` at the place would become the sidecar of what returns: it goes to the trash. Something else of that
  /// name is in the way of the item's own sidecar.
  private func clearSidecarPlace(
    of name: FileName, in target: borrowing Descriptor, at folder: RelativePath, needed: Bool
  ) throws(Errno) {
    guard let place = Sidecar.name(for: name) else { return }
    if try Self.sidecar(of: name, in: target) != nil {
      do { _ = try trash(folder.appending(place)) } catch { throw error.errno }
    } else if needed, try Self.exists(place, in: target) {
      throw .exists
    }
  }

  func bringSidecar(of item: FileName, to name: FileName, in target: borrowing Descriptor) throws(Errno) {
    guard let sidecar = try Self.sidecar(of: item, in: files), let place = Sidecar.name(for: name) else { return }
    try Self.move(sidecar, in: files, to: place, in: target)
  }

  /// Joins files and sidecars that a crash parted: a sidecar left behind when its file was trashed follows it, one left in
  /// the trash when its file was restored follows that. For the next start; harmless at any time, and when repeated.
  /// Returns how many were moved. What cannot be moved is left; damaged info files are skipped.
  @discardableResult
  public func repair() throws(TrashError) -> Int {
    var moved = 0
    for name in try entries(of: info) {
      guard let item = TrashName.item(ofInfo: name), let content = try? readInfo(of: item, for: "repair"),
        let original = content.path.name, let place = try? folder(content.path.parent)
      else { continue }
      if (try? rejoin(item, original: original, in: place)) == true { moved += 1 }
    }
    return moved
  }

  private func rejoin(_ item: FileName, original: FileName, in place: borrowing Descriptor) throws(Errno) -> Bool {
    let isInTrash = try Self.exists(item, in: files)
    let isAtPlace = try Self.exists(original, in: place)
    guard isInTrash != isAtPlace else { return false }
    let ownInTrash = try Self.sidecar(of: item, in: files)
    let ownAtPlace = try Self.sidecar(of: original, in: place)
    if isInTrash, ownInTrash == nil, let ownAtPlace, let new = Sidecar.name(for: item) {
      try Self.move(ownAtPlace, in: place, to: new, in: files)
    } else if isAtPlace, ownAtPlace == nil, ownInTrash != nil {
      try bringSidecar(of: item, to: original, in: place)
    } else {
      return false
    }
    try files.synchronize()
    try place.synchronize()
    if isAtPlace { discardInfo(of: item) }
    return true
  }
}
