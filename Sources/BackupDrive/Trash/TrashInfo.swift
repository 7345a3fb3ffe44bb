import Platform

/// What a `.trashinfo` file says of a trashed file (freedesktop.org Trash specification 1.0).
public struct TrashInfo: Hashable, Sendable {
  /// Why a file is no usable `.trashinfo`.
  public enum ParseError: Error, Hashable, Sendable {
    /// Longer than any path needs, or not UTF-8.
    case unreadable
    /// The first line is not `[Trash Info]`.
    case noHeader
    /// There is no `Path`, or it is badly encoded, absolute or leads out of the drive.
    case badPath
  }

  /// The largest file that is read, in bytes: a path of 4096 bytes, each encoded, and room for other keys.
  public static let maximumSize = 64 << 10

  /// Where the file was, relative to the top of the drive; never empty.
  public let path: RelativePath
  /// When it was deleted, in the local time of who deleted it; `nil` when the file does not say.
  public var deletionDate: CivilTime? { dateText.flatMap { CivilTime($0) } }
  /// All other lines as they are: unknown keys, comments, further groups.
  public let otherLines: [String]
  /// The date as it stands, also one that cannot be read: else a later one would become the first.
  private let dateText: String?

  /// Describes a file that is deleted now. `nil` for the empty path.
  public init?(path: RelativePath, deletionDate: CivilTime?) {
    guard !path.components.isEmpty else { return nil }
    self.path = path
    dateText = deletionDate?.description
    otherLines = []
  }

  /// Reads a file's content. Of `Path` and `DeletionDate` the first in the group counts; later ones are kept as other lines.
  public init(parsing bytes: [UInt8]) throws(ParseError) {
    guard bytes.count <= Self.maximumSize, let text = String(validating: bytes, as: UTF8.self) else {
      throw .unreadable
    }
    var lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { String(Substring($0)) }
    if lines.last == "" { lines.removeLast() }
    guard let header = lines.first, Self.isHeader(header) else { throw .noHeader }
    var encodedPath: Substring?
    var date: Substring?
    var others: [String] = []
    var isOwnGroup = true
    for line in lines.dropFirst() {
      if line.hasPrefix("[") { isOwnGroup = false }
      if isOwnGroup, encodedPath == nil, let value = Self.value(of: "Path", in: line) {
        encodedPath = value
      } else if isOwnGroup, date == nil, let value = Self.value(of: "DeletionDate", in: line) {
        date = value
      } else {
        others.append(line)
      }
    }
    guard let encodedPath, let decoded = Self.decode(encodedPath.utf8), let path = RelativePath(bytes: decoded) else {
      throw .badPath
    }
    self.path = path
    dateText = date.map { String($0) }
    otherLines = others
  }

  /// The file's content.
  public var serialised: [UInt8] {
    var lines = ["[Trash Info]", "Path=\(Self.encode(path.bytes))"]
    if let dateText { lines.append("DeletionDate=\(dateText)") }
    return Array((lines + otherLines).joined(separator: "\n").utf8) + [0x0A]
  }

  private static func isHeader(_ line: String) -> Bool { trimmed(line[...]) == "[Trash Info]" }

  private static func value(of key: String, in line: String) -> Substring? {
    guard let equals = line.utf8.firstIndex(of: 0x3D), trimmed(line[..<equals]) == key[...] else { return nil }
    return trimmed(line[line.utf8.index(after: equals)...])
  }

  /// Without blanks at both ends, and without the CR of a file that went through Windows.
  private static func trimmed(_ text: Substring) -> Substring {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    var utf8 = text.utf8.drop(while: isBlank)
    while let last = utf8.last, isBlank(last) { utf8.removeLast() }
    return Substring(utf8)
  }

  // MARK: - Percent encoding (RFC 2396)

  /// The bytes with all but unreserved characters and `/` as `%XX`.
  static func encode(_ bytes: [UInt8]) -> String {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()/".utf8)
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in bytes {
      if plain.contains(byte) {
        result.append(byte)
      } else {
        result += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The bytes that an encoded text means; `nil` for a `%` without two hex digits. Characters that should have been encoded
  /// are taken as they are.
  static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var rest = text.makeIterator()
    while let byte = rest.next() {
      guard byte == 0x25 else {
        result.append(byte)
        continue
      }
      guard let high = rest.next()?.hexValue, let low = rest.next()?.hexValue else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }
}
