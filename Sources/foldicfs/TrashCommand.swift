import BackupDrive
import Platform

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `foldicfs trash list|restore|empty DIR [NAME…]`: the caller's trash on a drive.
enum TrashCommand {
  private enum Action: String {
    case list, restore, empty
  }

  static func run(_ words: [String]) throws(CommandError) -> ExitCode {
    let arguments = try CommandArguments(
      words, command: "trash", known: ["json"], operands: ["list|restore|empty", "DIR"], more: "NAME")
    guard !arguments.switches.contains("help"), arguments.operands.count >= 2 else {
      try printResult(Usage.text)
      return .done
    }
    guard let action = Action(rawValue: arguments.operands[0]) else {
      throw .usage("trash can list, restore and empty, not \(arguments.operands[0].escapedForDisplay)")
    }
    let names = Array(arguments.operands.dropFirst(2))
    guard action == .list || !arguments.switches.contains("json") else { throw .usage("--json goes with trash list") }
    guard action != .restore || !names.isEmpty else {
      throw .usage("trash restore takes names as trash list shows them, one or more")
    }
    let drive = try openDrive(arguments.operands[1], readOnly: action == .list)
    defer { drive.close() }
    switch action {
    case .list: return try list(drive, only: names, asJSON: arguments.switches.contains("json"))
    case .restore: return try restore(drive, names)
    case .empty: return try empty(drive, names)
    }
  }

  /// Calls `body` with the trash; `nil` when the drive has none.
  private static func withTrash<R>(
    _ drive: BackupDrive, _ body: (borrowing TrashFolder) throws(TrashError) -> R
  ) throws(CommandError) -> R? {
    do throws(TrashError) {
      guard let trash = try drive.openTrash(of: getuid(), create: false) else { return nil }
      return try body(trash)
    } catch { throw .failed("\(error)") }
  }

  // MARK: - list

  private struct Line: Encodable {
    let name: String
    let path: String?
    let deleted: String?
    let size: Int64?
    let isFolder: Bool
  }

  private struct Whole: Encodable {
    let items: [Line]
  }

  private static func list(_ drive: BackupDrive, only names: [String], asJSON: Bool) throws(CommandError) -> ExitCode {
    let all = try withTrash(drive) { (trash) throws(TrashError) in try trash.items() } ?? []
    let items = names.isEmpty ? all : all.filter { item in item.name.string.map(names.contains) ?? false }
    let missing = names.filter { name in !items.contains { $0.name.string == name } }
    for name in missing { complain("there is no \(name.escapedForDisplay) in the trash") }
    if asJSON {
      try printResult(try json(items))
    } else {
      try printResult(items.map(text).joined())
    }
    return missing.isEmpty ? .done : .partly
  }

  /// Name, time of deletion, bytes and where it was, with tabs between.
  private static func text(_ item: TrashedItem) -> String {
    let size = item.status.kind == .directory ? "folder" : "\(item.status.size)"
    let deleted = item.info?.deletionDate?.description ?? "?"
    return "\(item.name)\t\(deleted)\t\(size)\t\(item.info?.path.description ?? "?")\n"
  }

  private static func json(_ items: [TrashedItem]) throws(CommandError) -> String {
    let lines = items.map { item in
      let isFolder = item.status.kind == .directory
      return Line(
        name: String(decoding: item.name.bytes, as: UTF8.self),
        path: item.info.map { String(decoding: $0.path.bytes, as: UTF8.self) },
        deleted: item.info?.deletionDate?.description, size: isFolder ? nil : item.status.size, isFolder: isFolder)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(Whole(items: lines)) else { throw .failed("cannot write the list as JSON") }
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  // MARK: - restore and empty

  private static func restore(_ drive: BackupDrive, _ names: [String]) throws(CommandError) -> ExitCode {
    try each(names, in: drive) { (trash, item) throws(TrashError) in
      "\(item) is back as \(try trash.restore(item))\n"
    }
  }

  private static func empty(_ drive: BackupDrive, _ names: [String]) throws(CommandError) -> ExitCode {
    guard names.isEmpty else {
      return try each(names, in: drive) { (trash, item) throws(TrashError) in
        try trash.delete(item)
        return "deleted \(item)\n"
      }
    }
    let failures = try withTrash(drive) { (trash) throws(TrashError) in try trash.empty() } ?? []
    for failure in failures { complain("\(failure)") }
    return failures.isEmpty ? .done : .partly
  }

  /// Does something with each item that is named: failed when that worked with none.
  private static func each(
    _ names: [String], in drive: BackupDrive,
    _ body: (borrowing TrashFolder, FileName) throws(TrashError) -> String
  ) throws(CommandError) -> ExitCode {
    var lines = ""
    var failures: [String] = []
    for name in names {
      guard let item = FileName(name) else {
        failures.append("\(name.escapedForDisplay) is no name in the trash; see foldicfs trash list")
        continue
      }
      do throws(CommandError) {
        let line = try withTrash(drive) { (trash) throws(TrashError) in try body(trash, item) }
        if let line { lines += line } else { failures.append("\(item) is not in the trash: the drive has none") }
      } catch { failures.append(error.message) }
    }
    for failure in failures { complain(failure) }
    try printResult(lines)
    if failures.isEmpty { return .done }
    return failures.count == names.count ? .failed : .partly
  }
}
