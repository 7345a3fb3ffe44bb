import Platform
import Testing

@testable import PhotoLibrary

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sample libraries beside the repository. Where they are not, the tests that need them are skipped.
enum Fixtures {
  static let folder: String = {
    var parts = #filePath.split(separator: "/")
    parts.removeLast(3)
    let repository = "/" + parts.joined(separator: "/")
    return repository + "/../shared/fixtures/photoslibraries"
  }()

  static let names = [
    "Test-10.15.7", "Test-13.0.0", "Test-15.4.1", "Test-Cloud-10.15.6", "Test-RAW-10.15.1", "Test-Shared-10.15.1",
  ]

  static var areThere: Bool { FileManager.default.fileExists(atPath: folder + "/Test-15.4.1.photoslibrary") }

  static let absence: Comment = "the sample libraries are not beside the repository"

  static func path(_ name: String) -> String { "\(folder)/\(name).photoslibrary" }

  static func json<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value {
    let data = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
    return try JSONDecoder().decode(type, from: data)
  }
}

/// A folder for one test, removed at the end of its life.
final class TemporaryFolder {
  let path: String

  init() throws {
    // Some systems have a link there, which SQLite is told not to follow.
    path = try AbsolutePath.resolve("/tmp") + "/foldicfs-library-test-" + RandomID.hex(12)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Copies a sample library into this folder, writable; gives its path.
  func copy(_ name: String) throws -> String {
    let target = "\(path)/\(name).photoslibrary"
    try copyTree(Fixtures.path(name), to: target)
    return target
  }

  private func copyTree(_ source: String, to target: String) throws {
    let manager = FileManager.default
    try manager.createDirectory(atPath: target, withIntermediateDirectories: false)
    for name in try manager.contentsOfDirectory(atPath: source) {
      let from = "\(source)/\(name)"
      var isFolder = false
      _ = manager.fileExists(atPath: from, isDirectory: &isFolder)
      if isFolder {
        try copyTree(from, to: "\(target)/\(name)")
      } else {
        try Data(contentsOf: URL(filePath: from)).write(to: URL(filePath: "\(target)/\(name)"))
      }
    }
  }
}

func contents(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

func write(_ bytes: [UInt8], to path: String) throws {
  let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  try Data(bytes).write(to: URL(filePath: path))
}

func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

/// All that a reader must leave as it was: names, bytes, sizes, times of change.
struct BundleState: Equatable {
  struct Entry: Equatable {
    let size: Int64
    let modified: Timestamp
    let changed: Timestamp
    let mode: UInt32
    let bytes: Data?
  }

  let entries: [String: Entry]

  init(_ path: String) throws {
    var entries: [String: Entry] = [:]
    try Self.collect(path, "", &entries)
    self.entries = entries
  }

  private static func collect(_ root: String, _ relative: String, _ entries: inout [String: Entry]) throws {
    let path = root + relative
    let status = try Descriptor.open(path).status()
    let isFile = status.kind == .file
    entries[relative] = Entry(
      size: isFile ? status.size : 0, modified: status.modified, changed: status.changed, mode: status.mode,
      bytes: isFile ? try Data(contentsOf: URL(filePath: path)) : nil)
    guard status.kind == .directory else { return }
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try collect(root, relative + "/" + name, &entries)
    }
  }
}

extension Descriptor {
  /// The whole file.
  borrowing func contents() throws -> [UInt8] { try read(count: Int(try status().size), at: 0) }
}

extension Snapshot {
  /// The main view, in pages so small that there are several.
  func mainView(page: Int = 7) throws -> [Asset] {
    var assets: [Asset] = []
    var last: Int64 = 0
    while true {
      let page = try self.assets(after: last, limit: page)
      assets += page
      guard let number = page.last?.number else { return assets }
      last = number
    }
  }

  /// The first album of that title.
  func album(titled title: String) -> Album? { albums.first { $0.title == title } }

  /// The titles of the folders around an album, outermost first.
  func folders(of album: Album) -> [String] {
    var titles: [String] = []
    var parent = album.parent
    while let id = parent, let folder = albums.first(where: { $0.id == id }) {
      titles.insert(folder.title ?? "", at: 0)
      parent = folder.parent
    }
    return titles
  }
}

extension Asset {
  func rendition(_ kind: Rendition.Kind) -> Rendition? { renditions.first { $0.kind == kind } }
}

/// Whether opening it ends with `notHere`.
func isNotHere(_ rendition: Rendition, in snapshot: any Snapshot) -> Bool {
  do throws(LibraryError) {
    _ = try snapshot.open(rendition)
    return false
  } catch {
    if case .notHere = error { return true }
    return false
  }
}
