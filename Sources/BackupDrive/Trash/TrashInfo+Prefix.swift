import Platform

/// The same `.trashinfo` seen from a folder above the drive's top.
///
/// In a mount the drive is a folder `Backup` of the mount's top, and file managers take paths in info files for relative to
/// the top of the mount. So `Path=x` on the drive is shown as `Path=Backup/x`, and written back as `Path=x`. Only these
/// bytes come and go, both ways give the other back exactly, and a file without a path in it is shown and written as it is.
extension TrashInfo {
  /// A file's bytes as seen from the folder that holds the drive under the name `folder`.
  public static func shown(_ bytes: [UInt8], below folder: FileName) -> [UInt8] {
    guard let value = pathValue(in: bytes) else { return bytes }
    var result = bytes
    result.insert(contentsOf: prefix(folder), at: value.lowerBound)
    return result
  }

  /// The bytes for the drive of a file that was written as seen from that folder. EROFS when its path leads to something
  /// beside the drive.
  public static func stored(_ bytes: [UInt8], below folder: FileName) throws(Errno) -> [UInt8] {
    guard let value = pathValue(in: bytes) else { return bytes }
    let prefix = prefix(folder)
    guard bytes[value].starts(with: prefix), value.count > prefix.count else { throw .readOnly }
    var result = bytes
    result.removeSubrange(value.lowerBound..<(value.lowerBound + prefix.count))
    // Without the prefix it must still be a path, else it would not get it back.
    guard pathValue(in: result)?.lowerBound == value.lowerBound else { throw .readOnly }
    return result
  }

  private static func prefix(_ folder: FileName) -> [UInt8] { Array(encode(folder.bytes).utf8) + [0x2F] }

  /// Where the path stands in a file: the value of the first `Path` that `init(parsing:)` would take. `nil` when there is
  /// none, or none that is a path below a top.
  private static func pathValue(in bytes: [UInt8]) -> Range<Int>? {
    guard bytes.count <= maximumSize else { return nil }
    var isFirst = true
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let text = trimmed(line)
      if isFirst {
        guard text.elementsEqual("[Trash Info]".utf8) else { return nil }
        isFirst = false
      } else if line.first == 0x5B {
        return nil
      } else if let equals = line.firstIndex(of: 0x3D), trimmed(line[..<equals]).elementsEqual("Path".utf8) {
        let value = trimmed(line[(equals + 1)...])
        guard let path = decode(value).flatMap({ RelativePath(bytes: $0) }), !path.components.isEmpty else {
          return nil
        }
        return value.startIndex..<value.endIndex
      }
    }
    return nil
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }
}
