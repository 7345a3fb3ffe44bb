#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The photos of one mounted folder, told by the identifier that each carries as an attribute.
struct MountedFolder {
  /// Identifiers of the assets, in the folder's own order, each once.
  private(set) var uuids: [String] = []
  private var paths: [String: [String]] = [:]

  /// Reads a folder; folders in it are left out.
  init(_ path: String) throws {
    for name in try FolderListing.names(path) {
      let file = path + "/" + name
      var status = stat()
      guard lstat(file, &status) == 0 else { throw FailedCall(errno) }
      guard status.st_mode & S_IFMT == S_IFREG else { continue }
      guard let uuid = FileContents.attribute("user.foldic.uuid", of: file) else {
        throw ToolError(description: "\(file) has no user.foldic.uuid")
      }
      if paths[uuid] == nil { uuids.append(uuid) }
      paths[uuid, default: []].append(file)
    }
  }

  /// The files of an asset.
  func files(of uuid: String) -> [String] { paths[uuid] ?? [] }

  /// All folders below `path` that hold no folder: the albums, or the months.
  static func allBelow(_ path: String) throws -> [MountedFolder] {
    guard FileContents.exists(path) else { return [] }
    var found: [MountedFolder] = []
    var isLeaf = true
    for name in try FolderListing.names(path) {
      var status = stat()
      guard lstat("\(path)/\(name)", &status) == 0 else { throw FailedCall(errno) }
      guard status.st_mode & S_IFMT == S_IFDIR else { continue }
      isLeaf = false
      found += try allBelow("\(path)/\(name)")
    }
    if isLeaf { found.append(try MountedFolder(path)) }
    return found
  }
}
