import Platform

/// A SQLite write-ahead log as a file (sqlite.org/fileformat2.html, section 4): a header of 32 bytes, then frames of a
/// header of 24 bytes and a page.
enum WriteAheadLog {
  /// A log that is not longer holds nothing.
  static let headerSize: Int64 = 32

  /// The number of the last frame that ends a transaction of the header's generation, whether or not the frames before
  /// it are sound; 0 when there is none. SQLite stops without a word at the first frame that is not, so that a smaller
  /// number there means that transactions are lost.
  static func lastCommit(in log: borrowing Descriptor) throws(Errno) -> Int64 {
    let header = try log.read(count: Int(headerSize), at: 0)
    guard header.count == headerSize else { return 0 }
    func word(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
    let pageSize = Int64(word(header[8..<12]))
    guard (512...65_536).contains(pageSize) else { return 0 }
    var offset = headerSize
    var frame: Int64 = 0
    var last: Int64 = 0
    while true {
      let head = try log.read(count: 24, at: offset)
      guard head.count == 24 else { return last }
      frame += 1
      offset += 24 + pageSize
      // The size of the database after the commit, not zero, marks the end of a transaction; the salts the generation.
      if word(head[4..<8]) != 0, head[8..<16] == header[16..<24] { last = frame }
    }
  }

  /// Whether SQLite would take it for one: magic number, format 3007000, and the checksum of its first 24 bytes.
  static func isValidHeader(_ header: [UInt8]) -> Bool {
    guard header.count == 32 else { return false }
    func word(_ index: Int, bigEndian: Bool) -> UInt32 {
      let bytes = header[(4 * index)..<(4 * index + 4)]
      return (bigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }
    let magic = word(0, bigEndian: true)
    guard magic & ~1 == 0x377F_0682, word(1, bigEndian: true) == 3_007_000 else { return false }
    var first: UInt32 = 0
    var second: UInt32 = 0
    for index in stride(from: 0, to: 6, by: 2) {
      first &+= word(index, bigEndian: magic & 1 == 1) &+ second
      second &+= word(index + 1, bigEndian: magic & 1 == 1) &+ first
    }
    return first == word(6, bigEndian: true) && second == word(7, bigEndian: true)
  }
}
