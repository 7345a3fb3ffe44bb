import Platform

/// The trash of one user on a drive, by the freedesktop.org Trash specification 1.0: `.Trash/UID` where an administrator made
/// `.Trash` with the sticky bit, else `.Trash-UID`, made when it is first needed.
///
/// File managers show it, restore from it and empty it. A sidecar `._x` goes with its file as `files/._NAME` and has no
/// info file of its own; `repair()` joins the two again where a crash came between.
///
/// All calls block. They may come from several threads, and from other programs at once: names are won with O_EXCL. What a
/// call promises is on the medium when it returns.
public struct TrashFolder: ~Copyable, Sendable {
  let top: Descriptor
  let files: Descriptor
  let info: Descriptor

  /// Opens the trash of user `userID` below `top`, the top of the mounted drive; makes it when `create` is set. `nil` when
  /// it is not there and not to be made.
  public static func open(
    top: borrowing Descriptor, userID: UInt32, create: Bool
  ) throws(TrashError) -> TrashFolder? {
    let name = ".Trash-\(userID)"
    do throws(Errno) {
      guard let trash = try openTrash(top, name: name, userID: userID, create: create),
        let files = try openFolder("files", in: trash, create: create),
        let info = try openFolder("info", in: trash, create: create)
      else { return nil }
      return TrashFolder(top: try top.duplicate(), files: files, info: info)
    } catch {
      let isUnsafe = error == .notDirectory || error == .tooManyLinks
      throw TrashError(isUnsafe ? .unsafeFolder : .system, "open the trash", name, error)
    }
  }

  private init(top: consuming Descriptor, files: consuming Descriptor, info: consuming Descriptor) {
    self.top = top
    self.files = files
    self.info = info
  }

  private static func openTrash(
    _ top: borrowing Descriptor, name: String, userID: UInt32, create: Bool
  ) throws(Errno) -> Descriptor? {
    if let shared = try openShared(top) { return try openFolder("\(userID)", in: shared, create: create) }
    return try openFolder(name, in: top, create: create)
  }

  /// `.Trash` when it may be used: a real folder with the sticky bit.
  private static func openShared(_ top: borrowing Descriptor) throws(Errno) -> Descriptor? {
    let stickyBit: UInt32 = 0o1000
    do throws(Errno) {
      let shared = try top.open(FileName(".Trash"), [.read, .directory])
      guard try shared.status().mode & stickyBit != 0 else { return nil }
      return shared
    } catch {
      if [.noSuchFile, .notDirectory, .tooManyLinks, .accessDenied].contains(error) { return nil }
      throw error
    }
  }

  private static func openFolder(
    _ text: String, in parent: borrowing Descriptor, create: Bool
  ) throws(Errno) -> Descriptor? {
    guard let name = FileName(text) else { throw .invalid }
    do throws(Errno) {
      return try parent.open(name, [.read, .directory])
    } catch .noSuchFile {
      guard create else { return nil }
    }
    do throws(Errno) {
      try parent.makeDirectory(name, mode: 0o700)
      try parent.synchronize()
    } catch .exists {}  // Another program was faster.
    return try parent.open(name, [.read, .directory])
  }

  /// The folder at `path` below the top.
  func folder(_ path: RelativePath) throws(Errno) -> Descriptor {
    path.components.isEmpty ? try top.duplicate() : try top.open(beneath: path, [.read, .directory])
  }

  /// Whether a path lies in a trash or in the folder that foldicfs keeps for itself: an info file that names such a place was
  /// not written for a user's file.
  static func isReserved(_ path: RelativePath) -> Bool {
    guard let first = path.components.first else { return false }
    return isTrash(first) || first.string.map(PortableName.collisionKey) == ".foldic"
  }

  /// Whether a name at the top of a drive is that of a trash, anybody's: `.Trash` or `.Trash-UID` in any case.
  static func isTrash(_ name: FileName) -> Bool {
    guard name.bytes.count >= 6, let key = name.string.map(PortableName.collisionKey), key.hasPrefix(".trash") else {
      return false
    }
    let rest = key.utf8.dropFirst(6)
    return rest.isEmpty || rest.count > 1 && rest.first == 0x2D && rest.dropFirst().allSatisfy { (0x30...0x39) ~= $0 }
  }

  /// Where the trash of a user is, or would be made.
  static func place(below top: borrowing Descriptor, userID: UInt32) throws(Errno) -> RelativePath {
    let isShared = try openShared(top) != nil
    guard let path = RelativePath(isShared ? ".Trash/\(userID)" : ".Trash-\(userID)") else { throw .invalid }
    return path
  }

  /// The info of an item; throws `badInfo` or `noSuchItem`.
  func readInfo(of name: FileName, for action: String) throws(TrashError) -> TrashInfo {
    do throws(Errno) {
      guard let infoName = TrashName.info(for: name) else { throw .noSuchFile }
      let file = try info.open(infoName, [.read, .nonBlocking])
      guard try file.status().kind == .file else { throw .invalid }
      let bytes = try file.read(count: TrashInfo.maximumSize + 1, at: 0)
      guard let parsed = try? TrashInfo(parsing: bytes) else { throw .invalid }
      return parsed
    } catch .noSuchFile {
      throw TrashError(.noSuchItem, action, name, .noSuchFile)
    } catch .invalid {
      throw TrashError(.badInfo, action, name, .invalid)
    } catch {
      throw TrashError(.system, action, name, error)
    }
  }

  /// Removes an info file that has no file, quietly: it is no harm, readers ignore it.
  func discardInfo(of name: FileName) {
    guard let infoName = TrashName.info(for: name) else { return }
    try? info.removeFile(infoName)
    try? info.synchronize()
  }

  /// The sidecar of `name` in `folder`, by name and magic; `nil` when there is none.
  static func sidecar(of name: FileName, in folder: borrowing Descriptor) throws(Errno) -> FileName? {
    guard let sidecar = Sidecar.name(for: name) else { return nil }
    do throws(Errno) {
      return try Sidecar.isSidecar(sidecar, in: folder) ? sidecar : nil
    } catch {
      // ENAMETOOLONG: the name of `name` leaves no room for `._`, so there can be no sidecar.
      if error == .noSuchFile || error == .nameTooLong { return nil }
      throw error
    }
  }

  static func exists(_ name: FileName, in folder: borrowing Descriptor) throws(Errno) -> Bool {
    do throws(Errno) {
      _ = try folder.status(of: name)
      return true
    } catch .noSuchFile {
      return false
    }
  }

  /// Renames onto a free name only. Where the drive cannot promise that itself (exfat-fuse), looks first.
  static func move(
    _ name: FileName, in folder: borrowing Descriptor, to new: FileName, in target: borrowing Descriptor
  ) throws(Errno) {
    do throws(Errno) {
      return try folder.rename(name, to: new, in: target, .noReplace)
    } catch {
      guard [.invalid, .notSupported, .notImplemented].contains(error) else { throw error }
    }
    guard try !exists(new, in: target) else { throw .exists }
    try folder.rename(name, to: new, in: target)
  }
}
