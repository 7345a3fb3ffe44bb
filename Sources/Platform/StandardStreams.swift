#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard output and error, without C's buffers (which Swift cannot share between threads).
public enum StandardStream: Int32, Sendable {
  /// Results.
  case output = 1
  /// Everything else.
  case error = 2

  /// Writes a text as it is.
  /// - Throws: EPIPE and others; a caller whose result matters must not take it for printed.
  public func write(_ text: String) throws(Errno) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = try checked { rest.withUnsafeBytes { systemWrite(rawValue, $0) } }
      rest = rest.dropFirst(written)
    }
  }

  /// Whether a person sees it.
  public var isTerminal: Bool { isatty(rawValue) == 1 }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
