import Platform

/// The names under which files lie in the trash.
enum TrashName {
  /// The longest name in UTF-16 units, or in bytes where the file system counts those: 255 less `.trashinfo`.
  static let maximumLength = 245
  static let infoSuffix = Array(".trashinfo".utf8)

  /// How a file system counts the length of names.
  enum Measure { case units, bytes }

  /// A name to try for a file: its own, then `stem.2.ext`, `stem.3.ext`…, with the stem cut where that is too long. A leading
  /// `._` loses its dot: in the trash such a name would make the file a sidecar of another.
  static func candidate(for name: FileName, attempt: Int, measure: Measure = .units) -> FileName {
    let bytes = Sidecar.hasForm(name) ? Array(name.bytes.dropFirst()) : name.bytes
    let number = attempt < 2 ? "" : ".\(attempt)"
    guard let text = String(validating: bytes, as: UTF8.self) else {
      // No text: only bytes can be counted and cut.
      return FileName(bytes: bytes.prefix(maximumLength - number.utf8.count) + Array(number.utf8)) ?? name
    }
    var (stem, suffix) = PortableName.split(text)
    suffix = number + suffix
    func fits(_ text: String) -> Bool {
      (measure == .units ? text.utf16.count : text.utf8.count) <= maximumLength
    }
    while !stem.isEmpty, !fits(stem + suffix) { stem.removeLast() }
    return FileName(stem + suffix) ?? name
  }

  /// `NAME.trashinfo`.
  static func info(for name: FileName) -> FileName? { FileName(bytes: name.bytes + infoSuffix) }

  /// NAME of `NAME.trashinfo`.
  static func item(ofInfo name: FileName) -> FileName? {
    guard name.bytes.count > infoSuffix.count, name.bytes.suffix(infoSuffix.count).elementsEqual(infoSuffix) else {
      return nil
    }
    return FileName(bytes: name.bytes.dropLast(infoSuffix.count))
  }
}
