/// File names as SQLite takes them with SQLITE_OPEN_URI (sqlite.org/uri.html).
enum DatabaseURI {
  /// A URI for `path`, with every byte encoded that could end the path (`?`, `#`) or begin an escape (`%`).
  static func text(path: String, parameters: [String]) -> String {
    // An empty authority, so that a path that begins with two slashes does not name a host.
    var uri = path.utf8.first == slash ? "file://" : "file:"
    for byte in path.utf8 {
      if isPlain(byte) {
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let hex = String(byte, radix: 16, uppercase: true)
        uri += hex.utf8.count == 1 ? "%0\(hex)" : "%\(hex)"
      }
    }
    return parameters.isEmpty ? uri : uri + "?" + parameters.joined(separator: "&")
  }

  private static let slash = UInt8(ascii: "/")

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), slash, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
