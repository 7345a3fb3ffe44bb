/// One component of a path, as bytes: what the kernel compares. Never empty, without `/` and NUL, neither `.` nor `..`.
///
/// Names are not `String`s since those compare by canonical equivalence (NFC and NFD would be one key) and repair bad
/// UTF-8 silently.
public struct FileName: Hashable, Sendable {
  /// The bytes, without a terminating NUL.
  public let bytes: [UInt8]

  /// Takes a name as it is; `nil` when it is no valid component.
  public init?(bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard !bytes.isEmpty, bytes != [0x2E], bytes != [0x2E, 0x2E] else { return nil }
    guard !bytes.contains(where: { $0 == 0x2F || $0 == 0 }) else { return nil }
    self.bytes = bytes
  }

  /// Takes the UTF-8 of a string; `nil` when it is no valid component.
  public init?(_ string: String) { self.init(bytes: string.utf8) }

  /// A name known to be valid when the program is written.
  public init(_ literal: StaticString) {
    bytes = literal.withUTF8Buffer(Array.init)
    precondition(FileName(bytes: bytes) != nil, "not a file name: \(literal)")
  }

  /// The name as text when it is strictly valid UTF-8.
  public var string: String? { String(validating: bytes, as: UTF8.self) }

  /// Calls `body` with the NUL-terminated bytes.
  public func withCString<R, E: Error>(_ body: (UnsafePointer<CChar>) throws(E) -> R) throws(E) -> R {
    try bytes.withNULTerminated(body)
  }
}

extension FileName: CustomStringConvertible {
  /// The name for people: bad bytes repaired, control characters escaped.
  public var description: String { String(decoding: bytes, as: UTF8.self).escapedForDisplay }
}

extension Array<UInt8> {
  /// Calls `body` with a NUL-terminated copy of the bytes.
  func withNULTerminated<R, E: Error>(_ body: (UnsafePointer<CChar>) throws(E) -> R) throws(E) -> R {
    var copy = self
    copy.append(0)
    var result: Result<R, E>?
    copy.withUnsafeBytes { raw in
      guard let base = raw.bindMemory(to: CChar.self).baseAddress else { return }
      do throws(E) { result = .success(try body(base)) } catch { result = .failure(error) }
    }
    guard let result else { preconditionFailure("an array with a NUL has a base address") }
    return try result.get()
  }
}
