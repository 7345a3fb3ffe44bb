/// A small baseline JPEG in grey (ITU-T T.81): every block of 8 × 8 pixels has one random shade, so only the DC terms are
/// coded. Its Huffman tables are the smallest that serve: twelve DC categories of four bits, and one AC code, end of block.
enum JPEGFile {
  /// The whole file, of `columns` × `rows` blocks. `comment` goes into a COM segment and makes small pictures distinct.
  static func bytes(columns: Int, rows: Int, comment: String, using generator: inout SeededGenerator) -> [UInt8] {
    var file: [UInt8] = [0xFF, 0xD8]
    segment(0xE0, to: &file) { body in
      body.append(text: "JFIF\0")
      body.append(contentsOf: [1, 1, 0, 0, 1, 0, 1, 0, 0])
    }
    segment(0xFE, to: &file) { $0.append(text: comment) }
    // Quantiser 8 for DC makes one step one shade of grey.
    segment(0xDB, to: &file) { $0.append(contentsOf: [0] + [UInt8](repeating: 8, count: 64)) }
    segment(0xC0, to: &file) { body in
      body.append(8)
      body.append(big: UInt16(rows * 8))
      body.append(big: UInt16(columns * 8))
      body.append(contentsOf: [1, 1, 0x11, 0])
    }
    segment(0xC4, to: &file) { $0.append(contentsOf: [0x00] + codesOfLength(4, count: 12) + Array(0..<12)) }
    segment(0xC4, to: &file) { $0.append(contentsOf: [0x10] + codesOfLength(1, count: 1) + [0x00]) }
    segment(0xDA, to: &file) { $0.append(contentsOf: [1, 1, 0x00, 0, 63, 0]) }
    var scan = BitWriter()
    var previous = 0
    for _ in 0..<(columns * rows) {
      let shade = Int(generator.next() >> 56) - 128
      let difference = shade - previous
      previous = shade
      let category = Int.bitWidth - abs(difference).leadingZeroBitCount
      scan.append(category, count: 4)
      scan.append(difference < 0 ? difference + (1 << category) - 1 : difference, count: category)
      scan.append(0, count: 1)
    }
    file.append(contentsOf: scan.finished())
    file.append(contentsOf: [0xFF, 0xD9])
    return file
  }

  private static func segment(_ marker: UInt8, to file: inout [UInt8], body write: (inout [UInt8]) -> Void) {
    var body: [UInt8] = []
    write(&body)
    file.append(contentsOf: [0xFF, marker])
    file.append(big: UInt16(body.count + 2))
    file.append(contentsOf: body)
  }

  private static func codesOfLength(_ length: Int, count: UInt8) -> [UInt8] {
    (1...16).map { $0 == length ? count : 0 }
  }
}

/// Bits, highest first, with a zero byte stuffed after every 0xFF.
private struct BitWriter {
  private var bytes: [UInt8] = []
  private var held: UInt32 = 0
  private var heldCount = 0

  mutating func append(_ bits: Int, count: Int) {
    held = held << UInt32(count) | UInt32(truncatingIfNeeded: bits) & ((1 << UInt32(count)) - 1)
    heldCount += count
    while heldCount >= 8 {
      heldCount -= 8
      let byte = UInt8(truncatingIfNeeded: held >> UInt32(heldCount))
      bytes.append(byte)
      if byte == 0xFF { bytes.append(0) }
    }
  }

  mutating func finished() -> [UInt8] {
    if heldCount > 0 { append(0x7F, count: 8 - heldCount) }
    return bytes
  }
}
