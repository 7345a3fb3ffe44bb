import CUTF8Proc

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension String {
  /// Canonical composition (NFC).
  public var nfc: String { mapped(UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue) }

  /// Canonical decomposition (NFD).
  public var nfd: String { mapped(UTF8PROC_STABLE.rawValue | UTF8PROC_DECOMPOSE.rawValue) }

  /// Unicode full case folding, then NFC.
  public var caseFolded: String {
    mapped(UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | UTF8PROC_CASEFOLD.rawValue)
  }

  private func mapped(_ options: UInt32) -> String {
    if utf8.allSatisfy({ $0 < 0x80 }) && options & UTF8PROC_CASEFOLD.rawValue == 0 { return self }
    var result: UnsafeMutablePointer<UInt8>?
    var text = self
    let length = text.withUTF8 { bytes in
      utf8proc_map(bytes.baseAddress, bytes.count, &result, utf8proc_option_t(rawValue: options))
    }
    guard length >= 0, let result else { return self }  // Only out of memory: a String is always valid UTF-8.
    defer { free(result) }
    return String(decoding: UnsafeBufferPointer(start: result, count: length), as: UTF8.self)
  }
}
