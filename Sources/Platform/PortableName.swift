/// Names that every drive and computer can hold, and the rule which of them a drive cannot tell apart.
///
/// The rule stands here, below the library and the drive, since both must come to the same names.
public enum PortableName {
  /// The limits of exFAT (UTF-16 units) and of Linux (bytes).
  public static let maximumUnits = 255
  /// See `maximumUnits`.
  public static let maximumBytes = 255

  /// The portable form of a name for one folder entry: NFC; what Windows and exFAT refuse replaced by its full-width or
  /// visible twin; trailing dots and spaces too; a leading `._`, which would make it a sidecar, loses its dot to the twin, and
  /// the name of a Windows device (`CON.jpg`, which Windows cannot open) its first letter.
  /// Never empty: a name without content becomes `fallback`. The length is not touched, see `cut`.
  public static func portable(_ name: String, fallback: String = "Untitled") -> String {
    var scalars = name.nfc.unicodeScalars.map(twin)
    var end = scalars.count
    while end > 0, let replacement = trailingTwin(scalars[end - 1]) {
      scalars[end - 1] = replacement
      end -= 1
    }
    if scalars.starts(with: "._".unicodeScalars) { scalars[0] = "\u{FF0E}" }
    if isDevice(scalars), let wide = Unicode.Scalar(scalars[0].value + 0xFEE0) { scalars[0] = wide }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    let blank = scalars.allSatisfy { $0 == "\u{2420}" || $0.properties.isWhitespace }
    return blank ? fallback : String(text)
  }

  /// `stem`, cut at a character boundary so that it keeps both limits with each of `suffixes` behind it (an extension, or
  /// `~ID` and an extension; an empty one for a folder).
  public static func cut(_ stem: String, for suffixes: [String]) -> String {
    let units = maximumUnits - (suffixes.map(\.utf16.count).max() ?? 0)
    let bytes = maximumBytes - (suffixes.map(\.utf8.count).max() ?? 0)
    func fits(_ text: some StringProtocol) -> Bool { text.utf16.count <= units && text.utf8.count <= bytes }
    guard !fits(stem) else { return stem }
    var cut = Substring(stem)
    while !cut.isEmpty, !fits(cut) { cut.removeLast() }
    // What the cut laid open may be a dot or space, refused at the very end.
    while let last = cut.last, last == "." || last == " " { cut.removeLast() }
    return String(cut)
  }

  /// Splits a name before its extension: the last dot and up to 12 ASCII letters and digits, not at the start.
  public static func split(_ name: String) -> (stem: String, suffix: String) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
    let suffix = name[dot...]
    let tail = suffix.dropFirst()
    guard (1...12).contains(tail.count), tail.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
      return (name, "")
    }
    return (String(name[..<dot]), String(suffix))
  }

  /// A key that is equal for any two names which some drive might take for one: NFC, all case folded. It may join names
  /// that a drive tells apart (`ß` and `ss`), never the other way.
  public static func collisionKey(_ name: String) -> String { name.caseFolded }

  private static func twin(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "/", "\\", ":", "*", "?", "\"", "<", ">", "|": Unicode.Scalar(scalar.value + 0xFEE0) ?? scalar
    case "\u{00}"..."\u{1F}": Unicode.Scalar(scalar.value + 0x2400) ?? scalar
    case "\u{7F}": "\u{2421}"
    default: scalar
    }
  }

  /// CON, PRN, AUX, NUL, COM0-9, LPT0-9 (superscript digits too), CONIN$ and CONOUT$, in any case, with or without extension.
  private static func isDevice(_ scalars: [Unicode.Scalar]) -> Bool {
    guard let first = scalars.first, "cpanlCPANL".unicodeScalars.contains(first) else { return false }
    var stem = String.UnicodeScalarView()
    stem.append(contentsOf: scalars.prefix { $0 != "." })
    let name = String(stem).uppercased()
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(name) { return true }
    guard name.hasPrefix("COM") || name.hasPrefix("LPT"), name.unicodeScalars.count == 4 else { return false }
    return name.unicodeScalars.last.map { "0123456789\u{B9}\u{B2}\u{B3}".unicodeScalars.contains($0) } ?? false
  }

  private static func trailingTwin(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case ".": "\u{FF0E}"
    case " ": "\u{2420}"
    default: nil
    }
  }
}
