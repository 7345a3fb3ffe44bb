import Platform

/// The record of a replacement on a drive without a journal, durable before its first step and gone after its last.
///
/// Written to `.foldic/intents/SESSION-NUMBER`; the old file stands meanwhile under the same name with `.old`. The text is
/// four lines: the header, `from PATH`, `to PATH`, `sum FNV-1a`, with `%XX` for bytes outside printable ASCII.
struct Intent: Equatable, Sendable {
  /// Where the new version is: a session's pending file, or a file of the user's that is renamed.
  var source: RelativePath
  /// The name that it replaces.
  var target: RelativePath

  static let maximumSize = 65536
  private static let header = "foldicfs intent 1"

  /// The text of the file.
  var bytes: [UInt8] {
    let body = "\(Self.header)\nfrom \(Self.escape(source))\nto \(Self.escape(target))\n"
    return Array((body + "sum \(Self.sum(body))\n").utf8)
  }

  init(source: RelativePath, target: RelativePath) {
    self.source = source
    self.target = target
  }

  /// Reads what `bytes` wrote, and nothing else: `nil` for anything torn, foreign, or that leads where no replacement of
  /// `session` can.
  init?(bytes: [UInt8], session: FileName) {
    guard bytes.count <= Self.maximumSize, bytes.last == 0x0A, bytes.allSatisfy({ $0 < 0x7F }) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 5, lines[0] == Self.header, lines[4].isEmpty, lines[3].hasPrefix("sum ") else { return nil }
    let body = lines[0...2].joined(separator: "\n") + "\n"
    guard lines[3].dropFirst(4) == Self.sum(body) else { return nil }
    guard let source = Self.path(lines[1], after: "from "), let target = Self.path(lines[2], after: "to ") else {
      return nil
    }
    guard source != target, let top = target.components.first, !NameRules.isService(top) else { return nil }
    if let first = source.components.first, NameRules.isService(first) {
      guard Self.isPending(source, of: session) else { return nil }
    }
    self.init(source: source, target: target)
    guard self.bytes == bytes else { return nil }  // Only one way to write a path is ours.
  }

  /// Whether a path is that of a file in the session's own folder.
  static func isPending(_ path: RelativePath, of session: FileName) -> Bool {
    path.components.count == 4 && path.components[0] == DriveMark.folderName
      && path.components[1] == Session.temporaryName && path.components[2] == session
      && path.components[3].bytes.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Whether these are the remains of a record that was being written: no bytes, only zeros, or a beginning.
  static func isTorn(_ bytes: [UInt8]) -> Bool {
    let written = bytes.prefix { $0 != 0 }
    guard bytes.dropFirst(written.count).allSatisfy({ $0 == 0 }) else { return false }
    let first = Array((header + "\n").utf8)
    guard written.prefix(first.count).elementsEqual(first.prefix(written.count)) else { return false }
    return written.count < bytes.count || written.count { $0 == 0x0A } < 4
  }

  static func escape(_ path: RelativePath) -> String {
    var result = ""
    for byte in path.bytes {
      if (0x21..<0x7F).contains(byte), byte != 0x25 {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16)
        result += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
      }
    }
    return result
  }

  static func path(_ line: Substring, after prefix: String) -> RelativePath? {
    guard line.hasPrefix(prefix) else { return nil }
    var bytes: [UInt8] = []
    var rest = Array(line.utf8.dropFirst(prefix.utf8.count))[...]
    while let byte = rest.popFirst() {
      guard byte == 0x25 else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard let path = RelativePath(bytes: bytes), !path.components.isEmpty else { return nil }
    return path
  }

  /// FNV-1a, 64 bits: against torn blocks, not against forgery.
  static func sum(_ text: String) -> String {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(value, radix: 16)
  }
}
