/// A small grey PNG (RFC 2083); its pixels lie in one stored deflate block.
enum PNGFile {
  /// The whole file. `side` × (`side` + 1) bytes must stay below 65,536, the largest stored block.
  static func bytes(side: Int, comment: String, using generator: inout SeededGenerator) -> [UInt8] {
    var pixels: [UInt8] = []
    for _ in 0..<side {
      pixels.append(0)
      for _ in 0..<side { pixels.append(UInt8(truncatingIfNeeded: generator.next())) }
    }
    var header: [UInt8] = []
    header.append(big: UInt32(side))
    header.append(big: UInt32(side))
    header.append(contentsOf: [8, 0, 0, 0, 0])
    var stream: [UInt8] = [0x78, 0x01, 0x01]
    stream.append(little: UInt16(pixels.count))
    stream.append(little: ~UInt16(pixels.count))
    stream.append(contentsOf: pixels)
    stream.append(big: adler32(pixels))
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    chunk("IHDR", header, to: &file)
    chunk("tEXt", Array("Comment\0".utf8) + Array(comment.utf8), to: &file)
    chunk("IDAT", stream, to: &file)
    chunk("IEND", [], to: &file)
    return file
  }

  private static func chunk(_ type: String, _ body: [UInt8], to file: inout [UInt8]) {
    file.append(big: UInt32(body.count))
    let checked = Array(type.utf8) + body
    file.append(contentsOf: checked)
    file.append(big: crc32(checked))
  }

  private static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var low: UInt32 = 1
    var high: UInt32 = 0
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return high << 16 | low
  }

  private static let crcTable: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { crcTable[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
  }
}
