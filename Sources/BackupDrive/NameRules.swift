import Platform

/// Which names a drive can hold, found once when it is opened.
struct NameRules: Sendable {
  /// The drive finds `IMG.JPG` under `img.jpg`.
  var ignoresCase: Bool
  /// The drive refuses `" * : < > ? \ |` and control characters (exFAT, FAT).
  var refusesReserved: Bool
  /// The drive's limit counts bytes, not UTF-16 units.
  var limitsBytes: Bool

  /// Throws EILSEQ, ENAMETOOLONG or EINVAL for a name that must not be made.
  func check(_ name: FileName) throws(Errno) {
    // Some invalid bytes make exfat-fuse die at every later listing of the folder.
    guard let text = name.string else { throw .illegalSequence }
    guard text.utf16.count <= 255, !limitsBytes || name.bytes.count <= 255 else { throw .nameTooLong }
    if refusesReserved, name.bytes.contains(where: { $0 < 0x20 || Self.reserved.contains($0) }) { throw .invalid }
  }

  private static let reserved: Set<UInt8> = Set("\"*:<>?\\|".utf8)

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
