/// A small grey DNG: little-endian TIFF 6.0 with one strip and the DNG version tag, for the RAW of a RAW+JPEG pair.
enum DNGFile {
  /// The whole file.
  static func bytes(side: Int, comment: String, using generator: inout SeededGenerator) -> [UInt8] {
    let comment = Array(comment.utf8) + [0]
    let pixels = side * side
    let entries: [(tag: UInt16, type: UInt16, count: UInt32, value: UInt32)] = [
      (254, 4, 1, 0), (256, 4, 1, UInt32(side)), (257, 4, 1, UInt32(side)), (258, 3, 1, 8), (259, 3, 1, 1),
      (262, 3, 1, 1), (270, 2, UInt32(comment.count), UInt32(0)), (273, 4, 1, 0), (277, 3, 1, 1),
      (278, 4, 1, UInt32(side)), (279, 4, 1, UInt32(pixels)), (50706, 1, 4, 0x0000_0401),
    ]
    let commentOffset = 8 + 2 + entries.count * 12 + 4
    let pixelOffset = commentOffset + comment.count
    var file: [UInt8] = [0x49, 0x49, 0x2A, 0x00]
    file.append(little: UInt32(8))
    file.append(little: UInt16(entries.count))
    for entry in entries {
      file.append(little: entry.tag)
      file.append(little: entry.type)
      file.append(little: entry.count)
      switch entry.tag {
      case 270: file.append(little: UInt32(commentOffset))
      case 273: file.append(little: UInt32(pixelOffset))
      default: file.append(little: entry.value)
      }
    }
    file.append(little: UInt32(0))
    file.append(contentsOf: comment)
    for _ in 0..<pixels { file.append(UInt8(truncatingIfNeeded: generator.next())) }
    return file
  }
}
