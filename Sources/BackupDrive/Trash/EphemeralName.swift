import Platform

/// The names of files that programs make for a moment and remove themselves: these never go to a trash.
///
/// | name | made by |
/// |---|---|
/// | `.NAME.XXXXXX` | rsync: its copy in the making (mkstemp(3): letters and digits) |
/// | `.NAME.swp`, `.swo` … `.swa`, `.swx` | vim: swap files |
/// | `NAME~` | editors: the version before |
/// | `.goutputstream-XXXXXX` | GLib: a file in the making |
/// | `.~lock.NAME#` | LibreOffice: a lock |
/// | `.#NAME` | Emacs: a lock |
///
/// Who is wrongly taken for one is gone, who is wrongly not taken lies in the trash: in doubt a name is a user's. So rsync's
/// six characters count only with a digit or a capital among them (199 of 200 have one), since `.library.sqlite` and
/// `.settings.backup` are files like any other.
enum EphemeralName {
  /// Whether a name is of this kind.
  static func matches(_ name: FileName) -> Bool {
    let bytes = name.bytes
    if bytes.count > 1, bytes.last == UInt8(ascii: "~") { return true }
    guard bytes.first == UInt8(ascii: ".") else { return false }
    if bytes.starts(with: ".#".utf8), bytes.count > 2 { return true }
    if bytes.starts(with: ".~lock.".utf8), bytes.last == UInt8(ascii: "#") { return true }
    if bytes.starts(with: ".goutputstream-".utf8) { return isRandom(bytes.dropFirst(15)) }
    let parts = bytes.dropFirst().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count > 1, let suffix = parts.last, bytes.count > suffix.count + 2 else { return false }
    if isSwap(suffix) { return true }
    return isRandom(suffix) && suffix.contains { !isLowercase($0) }
  }

  private static func isSwap(_ suffix: ArraySlice<UInt8>) -> Bool {
    guard suffix.count == 3, suffix.starts(with: "sw".utf8), let last = suffix.last else { return false }
    return (UInt8(ascii: "a")...UInt8(ascii: "p")).contains(last) || last == UInt8(ascii: "x")
  }

  /// What mkstemp(3) puts in the place of `XXXXXX`.
  private static func isRandom(_ text: ArraySlice<UInt8>) -> Bool {
    text.count == 6
      && text.allSatisfy { isLowercase($0) || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
  }

  private static func isLowercase(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
}
