import Platform

/// What a backup folder holds, as a table: the truth that a drive is compared with.
public struct DriveModel: Hashable, Sendable {
  /// Folders, without the top.
  public var folders: Set<RelativePath> = []
  /// Files with their bytes.
  public var files: [RelativePath: [UInt8]] = [:]

  /// An empty folder.
  public init() {}
}

extension DriveModel: CustomStringConvertible {
  /// Paths with sizes, sorted, for the messages of failed tests.
  public var description: String {
    let lines = folders.map { "\($0)/" } + files.map { "\($0.key) (\($0.value.count) bytes, \(digest($0.value)))" }
    return lines.sorted().joined(separator: "\n")
  }

  /// FNV-1a; only to tell contents apart by eye.
  private func digest(_ bytes: [UInt8]) -> String {
    String(bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
  }
}
