import Foundation
import Platform

@testable import BackupDrive

/// A `.foldic` of a test's own.
final class CatalogGround {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  var path: String { scratch.path }
  func open(thoroughly: Bool = false) throws -> Catalog {
    try Catalog.open(in: try Descriptor.open(path, .directory), thoroughly: thoroughly)
  }
  var names: [String] { scratch.tree() }
}

func at(_ text: String) -> RelativePath { RelativePath(text) ?? .empty }

func row(_ text: String, size: Int64 = 1, hash: String? = nil, asset: String? = nil) -> CatalogEntry {
  CatalogEntry(
    path: at(text), asset: asset, size: size, modified: Timestamp(seconds: 1_700_000_000, nanoseconds: 5),
    hash: hash.map { ContentHash(of: $0.utf8) }, recorded: 7)
}

extension Catalog {
  /// All paths, in order.
  func paths(below folder: RelativePath = .empty) throws -> [String] {
    var result: [String] = []
    var after: RelativePath?
    while let page = try? entries(below: folder, after: after, limit: 3), let last = page.last {
      result += page.map { String(decoding: $0.path.bytes, as: UTF8.self) }
      after = last.path
    }
    return result
  }
}
