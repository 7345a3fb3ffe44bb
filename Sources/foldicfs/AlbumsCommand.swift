#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PhotoLibrary
import Platform

/// `foldicfs albums LIBRARY [--json]`: folders and albums with their recorded counts. No membership is read.
enum AlbumsCommand {
  static func run(_ words: [String]) throws(CommandError) -> ExitCode {
    let arguments = try CommandArguments(words, command: "albums", known: ["json"], operands: ["LIBRARY"])
    guard !arguments.switches.contains("help"), let path = arguments.operands.first else {
      try printResult(Usage.text)
      return .done
    }
    let opened = try openLibrary(path, LibraryOptions()) { line in
      try? StandardStream.error.write("foldicfs: \(line)\n")
    }
    let tree = AlbumTree(opened.albums)
    if arguments.switches.contains("json") {
      try printResult(try json(opened, tree))
    } else {
      try printResult(text(tree))
    }
    return .done
  }

  private static let tops: [(String, AlbumTree.Top)] = [("Albums", .own), ("Shared Albums", .shared)]

  private static func text(_ tree: AlbumTree) -> String {
    var lines = ""
    for (title, top) in tops where !tree.top(top).isEmpty {
      lines += "\(title)/\n"
      for (position, depth) in tree.outline(of: top) {
        let node = tree.nodes[position]
        lines += String(repeating: "  ", count: depth + 1) + node.name.description
        switch (node.album.kind, node.album.recordedCount) {
        case (.folder, _): lines += "/\n"
        case (_, let count?): lines += "\t\(count)\n"
        case (_, nil): lines += "\t?\n"
        }
      }
    }
    return lines
  }

  /// One line of the JSON list.
  private struct Line: Encodable {
    let id: String
    let kind: String
    let title: String?
    let path: String
    let count: Int?
  }

  private struct Whole: Encodable {
    let library: String
    let id: String?
    let albums: [Line]
  }

  private static func json(_ snapshot: any Snapshot, _ tree: AlbumTree) throws(CommandError) -> String {
    var lines: [Line] = []
    var paths: [Int: String] = [:]
    for (title, top) in tops {
      for (position, _) in tree.outline(of: top) {
        let node = tree.nodes[position]
        let above = node.parent.flatMap { paths[$0] } ?? title
        let path = "\(above)/\(node.name.string ?? node.name.description)"
        paths[position] = path
        lines.append(
          Line(
            id: node.album.id.text, kind: node.album.kind.rawValue, title: node.album.title, path: path,
            count: node.album.recordedCount))
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let whole = Whole(library: snapshot.title, id: snapshot.libraryID, albums: lines)
    guard let data = try? encoder.encode(whole) else { throw .failed("cannot write the list as JSON") }
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}
