import Platform

/// Goes through the files below a folder in the order of their paths' bytes, one folder's listing in memory for each
/// level. What is no user's file is left out: `.foldic`, trash folders, folders of operating systems, sidecars.
struct FolderWalk: ~Copyable {
  /// What comes next.
  enum Item {
    case file(RelativePath, folder: SharedDescriptor, name: FileName)
    /// A link or device, which no backup has.
    case other(RelativePath)
    /// A folder whose content is not known: nothing may be concluded about it.
    case unreadable(RelativePath, Errno)
  }

  private struct Level {
    let path: RelativePath
    let folder: SharedDescriptor
    var rest: [DirectoryEntry]
  }

  private var levels: [Level] = []
  private var unreadableTop: Errno?
  private let after: [UInt8]?
  private let access: @Sendable (RelativePath) throws(Errno) -> Void

  /// Begins behind a path, or at the first file. `access` is called before each listing and may fail it, for tests.
  init(
    _ root: SharedDescriptor, after: RelativePath?,
    access: @escaping @Sendable (RelativePath) throws(Errno) -> Void = { _ in }
  ) {
    self.access = access
    self.after = after?.bytes
    do throws(Errno) { levels = [try level(.empty, root)] } catch { unreadableTop = error }
  }

  /// The next item; `nil` at the end.
  mutating func next() -> Item? {
    if let error = unreadableTop {
      unreadableTop = nil
      return .unreadable(.empty, error)
    }
    while let top = levels.indices.last {
      guard let entry = levels[top].rest.popLast() else {
        levels.removeLast()
        continue
      }
      let path = levels[top].path.appending(entry.name)
      let folder = levels[top].folder
      switch entry.kind ?? .special {
      case .file: return .file(path, folder: folder, name: entry.name)
      case .directory:
        do throws(Errno) {
          let opened = SharedDescriptor(try folder.descriptor.open(entry.name, [.read, .directory]))
          levels.append(try level(path, opened))
        } catch {
          // Removed since it was listed: then there is nothing in it.
          if error == .noSuchFile { continue }
          return .unreadable(path, error)
        }
      case .symbolicLink, .special: return .other(path)
      }
    }
    return nil
  }

  /// The listing of a folder, last first, with the kind of every entry.
  private func level(_ path: RelativePath, _ folder: SharedDescriptor) throws(Errno) -> Level {
    let isTop = path.components.isEmpty
    let above = isTop ? [] : path.bytes + [0x2F]
    var rest: [(key: [UInt8], entry: DirectoryEntry)] = []
    try access(path)
    for entry in try folder.descriptor.entries() where !Self.isIgnored(entry.name, isTop: isTop) {
      guard let kind = try kind(of: entry, in: folder) else { continue }
      // With the slash behind folders' names the order within each folder gives the order of whole paths.
      let key = kind == .directory ? entry.name.bytes + [0x2F] : entry.name.bytes
      if let after, isBehind(above + key, after, isFolder: kind == .directory) { continue }
      if kind == .file, (try? Sidecar.isSidecar(entry.name, in: folder.descriptor)) == true { continue }
      rest.append((key, DirectoryEntry(name: entry.name, kind: kind)))
    }
    rest.sort { $1.key.lexicographicallyPrecedes($0.key) }
    return Level(path: path, folder: folder, rest: rest.map(\.entry))
  }

  private func kind(of entry: DirectoryEntry, in folder: SharedDescriptor) throws(Errno) -> FileStatus.Kind? {
    if let kind = entry.kind { return kind }
    do throws(Errno) { return try folder.descriptor.status(of: entry.name).kind } catch .noSuchFile { return nil }
  }

  /// Whether all that is under a key was gone through before.
  private func isBehind(_ key: [UInt8], _ after: [UInt8], isFolder: Bool) -> Bool {
    if isFolder { return key.lexicographicallyPrecedes(after) && !after.starts(with: key) }
    return !after.lexicographicallyPrecedes(key)
  }

  // MARK: - What is left out

  /// Whether a path is that of a user's file, as far as names tell.
  static func isUsers(_ path: RelativePath) -> Bool {
    guard let name = path.name, Catalog.isOrdinary(path) else { return false }
    return !isIgnored(name, isTop: path.components.count == 1)
  }

  private static func isIgnored(_ name: FileName, isTop: Bool) -> Bool {
    if isTop, NameRules.isService(name) || isTrash(name) || systems.contains(name.bytes) { return true }
    // The Finder's notes about a folder, and what a FUSE driver keeps of open files that were removed.
    return name.bytes == Array(".DS_Store".utf8) || name.bytes.starts(with: ".fuse_hidden".utf8)
  }

  /// Trash at the top of a drive: freedesktop's and the Mac's.
  static func isTrash(_ name: FileName) -> Bool {
    name.bytes.starts(with: ".Trash-".utf8) || [".Trash", ".Trashes"].contains(name.string)
  }

  /// What operating systems put at the top of drives by themselves.
  private static let systems: Set<[UInt8]> = Set(
    [
      ".Spotlight-V100", ".fseventsd", ".TemporaryItems", ".DocumentRevisions-V100", "System Volume Information",
      "$RECYCLE.BIN", "lost+found",
    ].map { Array($0.utf8) })
}
