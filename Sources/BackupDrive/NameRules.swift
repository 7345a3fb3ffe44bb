import Platform

/// Which names are made, and how the drive finds them.
struct NameRules: Sendable {
  /// The drive finds `IMG.JPG` under `img.jpg`; found once when it is opened.
  var ignoresCase: Bool

  /// Throws EILSEQ or ENAMETOOLONG for a name that must not be made. What the drive cannot hold is stored under another
  /// name (`DriveName`).
  static func check(_ name: FileName) throws(Errno) {
    // Some invalid bytes make exfat-fuse die at every later listing of the folder.
    guard let text = name.string else { throw .illegalSequence }
    guard text.utf16.count <= PortableName.maximumUnits else { throw .nameTooLong }
  }

  /// Whether a name is stored as it is and cannot be the stored form of another: so of nearly all names.
  static func isOrdinary(_ name: FileName) -> Bool {
    guard !mayBeEncoded(name) else { return false }
    let bytes = Sidecar.hasForm(name) ? Array(name.bytes.dropFirst(2)) : name.bytes
    guard let text = String(validating: bytes, as: UTF8.self) else { return false }
    let composed = bytes.allSatisfy { $0 < 0x80 } ? text : text.nfc
    // Bytes, since String compares by canonical equivalence.
    return PortableName.portable(composed).utf8.elementsEqual(composed.utf8)
  }

  /// Whether a name of the drive could be the stored form of another: it holds a twin of a refused character, or a mark,
  /// or is so long that it may have been cut.
  static func mayBeEncoded(_ name: FileName) -> Bool {
    let bytes = name.bytes
    if bytes.count > 200 { return true }
    for (index, byte) in bytes.enumerated() {
      // U+FF01 to U+FF5E (EF BC 81 … EF BD 9E) and U+2400 to U+2421 (E2 90 80 … E2 90 A1).
      if byte == 0xEF, index + 1 < bytes.count, bytes[index + 1] == 0xBC || bytes[index + 1] == 0xBD { return true }
      if byte == 0xE2, index + 1 < bytes.count, bytes[index + 1] == 0x90 { return true }
      if byte == 0x7E, index + 8 < bytes.count, bytes[(index + 1)...(index + 8)].allSatisfy(isUpperHex) { return true }
    }
    return bytes == Array("Untitled".utf8)  // The stored form of blanks.
  }

  private static func isUpperHex(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
  }

  /// Whether a name at the top of the drive would reach `.foldic` on some drive: in other case, with trailing dots or
  /// spaces (which some drivers cut off) or with characters that HFS+ ignores.
  static func isService(_ name: FileName) -> Bool {
    guard name.bytes.count >= 7, let text = name.string else { return false }
    if name.bytes.allSatisfy({ $0 < 0x80 }), name.bytes[0] != DriveMark.folderName.bytes[0] { return false }
    var scalars = text.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
    while let last = scalars.last, last == "." || last == " " { scalars.removeLast() }
    return Array(PortableName.collisionKey(String(scalars)).utf8) == DriveMark.folderName.bytes
  }

  /// The name as it is and its two normal forms, each once.
  static func spellings(_ name: FileName) -> [FileName] {
    guard name.bytes.contains(where: { $0 >= 0x80 }), let text = name.string else { return [name] }
    var result = [name]
    for form in [FileName(text.nfc), FileName(text.nfd)] {
      if let form, !result.contains(form) { result.append(form) }
    }
    return result
  }
}
