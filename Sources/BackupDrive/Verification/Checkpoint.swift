import Platform

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How far an unfinished verification came, in the user's state folder: `verify/DRIVE.json`. Replaced as a whole, after
/// the rows that it vouches for are durable. One verification of a drive at a time has it.
final class Checkpoint: Sendable {
  /// What is in the file. Paths are hex digits of their bytes.
  private struct Record: Codable {
    struct Line: Codable {
      var kind: String
      var path: String
      var detail: String
    }
    var format: Int
    var drive: String
    var catalog: String
    var position: String
    var files: Int
    var intact: Int
    var new: Int
    var busy: Int
    var forgotten: Int
    var passedOver: Int
    var findings: [Line]
  }

  /// What an earlier run left.
  struct Loaded {
    var position: RelativePath
    var counts: VerificationCounts
    var findings: [Finding]
  }

  private static let format = 1
  private static let largest: Int64 = 256 << 20

  private let folder: Descriptor
  private let lock: Descriptor
  private let name: FileName
  private let drive: String

  /// Takes the checkpoint of a drive; EBUSY when another verification has it.
  /// - Parameter state: the user's state folder; made when it is missing.
  init(drive: String, state: String) throws(Errno) {
    guard let name = FileName("\(drive).json"), let lockName = FileName("\(drive).lock") else { throw .invalid }
    let folder = try Descriptor.openMakingFolders(state + "/verify")
    let lock = try folder.open(lockName, [.readWrite, .create], mode: 0o600)
    guard try lock.tryLock() else { throw .busy }
    self.folder = folder
    self.lock = lock
    self.name = name
    self.drive = drive
  }

  deinit { lock.unlock() }

  /// What is there, when it belongs to this drive and catalog and makes sense.
  func load(catalog: String) -> Loaded? {
    guard let file = try? folder.open(name), let size = try? file.status().size, size <= Self.largest,
      let bytes = try? file.read(count: Int(size), at: 0),
      let record = try? JSONDecoder().decode(Record.self, from: Data(bytes)), record.format == Self.format,
      record.drive == drive, record.catalog == catalog, let position = Self.path(record.position),
      [record.files, record.intact, record.new, record.busy, record.forgotten, record.passedOver].allSatisfy({
        (0...Int(Int32.max)).contains($0)
      })
    else { return nil }
    var findings: [Finding] = []
    for line in record.findings {
      guard let kind = Finding.Kind(rawValue: line.kind) else { return nil }
      guard let path = line.path.isEmpty ? .empty : Self.path(line.path) else { return nil }
      findings.append(Finding(kind: kind, path: path, detail: line.detail))
    }
    var counts = VerificationCounts()
    (counts.intact, counts.new, counts.busy) = (record.intact, record.new, record.busy)
    (counts.forgotten, counts.passedOver, counts.filesBefore) = (record.forgotten, record.passedOver, record.files)
    return Loaded(position: position, counts: counts, findings: findings)
  }

  /// Remembers that everything up to `position` was looked at.
  func save(
    position: RelativePath, counts: VerificationCounts, findings: [Finding], catalog: String
  ) throws(Errno) {
    let record = Record(
      format: Self.format, drive: drive, catalog: catalog, position: position.bytes.hexDigits,
      files: counts.filesBefore + counts.filesRead, intact: counts.intact, new: counts.new, busy: counts.busy,
      forgotten: counts.forgotten, passedOver: counts.passedOver,
      findings: findings.map {
        .init(
          kind: $0.kind.rawValue, path: $0.path.components.isEmpty ? "" : $0.path.bytes.hexDigits, detail: $0.detail)
      })
    guard let data = try? JSONEncoder().encode(record) else { throw .invalid }
    try folder.replaceFile(name, with: Array(data))
  }

  /// There is nothing to go on with.
  func remove() throws(Errno) {
    do throws(Errno) { try folder.removeFile(name) } catch .noSuchFile {}
  }

  private static func path(_ hex: String) -> RelativePath? {
    let digits = Array(hex.utf8)
    guard digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index].hexValue, let low = digits[index + 1].hexValue else { return nil }
      bytes.append(high << 4 | low)
    }
    return RelativePath(bytes: bytes)
  }
}
