import Platform

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file `.foldic/drive.json`, which says that a folder is a backup and which one.
struct DriveMark: Codable, Sendable {
  /// The layout of `.foldic`; a greater one was written by a newer program.
  var format: Int
  /// 32 hex digits, never changed.
  var id: String
  /// Seconds since 1970 when the folder was marked.
  var created: Int64

  static let currentFormat = 1
  static let maximumSize = 65536
  static let folderName: FileName = FileName(".foldic")
  static let fileName: FileName = FileName("drive.json")

  /// A mark for a folder that has none.
  static func new() -> DriveMark {
    DriveMark(format: currentFormat, id: RandomID.hex(32), created: Timestamp.now.seconds)
  }

  /// The mark in an open `.foldic`; `nil` when there is none.
  static func read(in service: borrowing Descriptor, of folder: String) throws(DriveError) -> DriveMark? {
    let bytes: [UInt8]
    do throws(Errno) {
      let file = try service.open(fileName, [.read, .nonBlocking])
      bytes = try file.read(count: maximumSize, at: 0)
    } catch {
      if error == .noSuchFile { return nil }
      throw DriveError("cannot read \(folder.escapedForDisplay)/.foldic/drive.json: \(error)", error)
    }
    guard let mark = try? JSONDecoder().decode(DriveMark.self, from: Data(bytes)),
      mark.id.utf8.count == 32, mark.id.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else {
      throw DriveError(
        "\(folder.escapedForDisplay)/.foldic/drive.json is damaged; put it back from a copy, or move it away and run"
          + " foldicfs init", .invalid)
    }
    guard (1...currentFormat).contains(mark.format) else {
      throw DriveError(
        "\(folder.escapedForDisplay) was made by a newer foldicfs (format \(mark.format)); use that one", .notSupported)
    }
    return mark
  }

  /// Writes the mark durably: whole or not at all.
  func write(in service: borrowing Descriptor) throws(Errno) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    guard let data = try? encoder.encode(self) else { throw .invalid }
    let temporary: FileName = FileName("drive.json.new")
    let file = try service.open(temporary, [.write, .create, .truncate], mode: 0o644)
    try file.write(Array(data) + [0x0A])
    try file.synchronize()
    try service.rename(temporary, to: Self.fileName, in: service)
    try service.synchronize()
  }
}

extension BackupDrive {
  /// Marks a folder as a backup, durably (`foldicfs init`). Returns whether the mark is new; an earlier one is kept.
  @discardableResult
  public static func initialise(folder: String) throws(DriveError) -> Bool {
    let root = try openRoot(folder)
    do throws(Errno) {
      do throws(Errno) { try root.makeDirectory(DriveMark.folderName, mode: 0o755) } catch .exists {}
    } catch {
      throw DriveError("cannot write to \(folder.escapedForDisplay): \(error)", error)
    }
    let service = try openService(root, of: folder)
    if try DriveMark.read(in: service, of: folder) != nil { return false }
    do throws(Errno) {
      try DriveMark.new().write(in: service)
      try root.synchronize()
    } catch {
      throw DriveError("cannot mark \(folder.escapedForDisplay) as a backup: \(error)", error)
    }
    return true
  }

  static func openRoot(_ folder: String) throws(DriveError) -> Descriptor {
    do throws(Errno) { return try Descriptor.open(folder, [.read, .directory]) } catch {
      let shown = folder.escapedForDisplay
      switch error {
      case .noSuchFile:
        throw DriveError("the backup folder \(shown) is not there; is the drive plugged in and mounted?", error)
      case .notDirectory: throw DriveError("\(shown) is not a folder; name a folder of the backup drive", error)
      default: throw DriveError("cannot open the backup folder \(shown): \(error)", error)
      }
    }
  }

  static func openService(_ root: borrowing Descriptor, of folder: String) throws(DriveError) -> Descriptor {
    do throws(Errno) { return try root.open(DriveMark.folderName, [.read, .directory]) } catch {
      let shown = folder.escapedForDisplay
      switch error {
      case .noSuchFile:
        throw DriveError(
          "\(shown) is not marked as a backup; if it is the right one, run: foldicfs init \(shown)", error)
      case .notDirectory, .tooManyLinks:
        throw DriveError("\(shown)/.foldic is not a folder and not ours; move it away first", error)
      default: throw DriveError("cannot open \(shown)/.foldic: \(error)", error)
      }
    }
  }
}
