/// Offsets and constants of AppleDouble 2 with the attribute header that macOS adds behind the Finder info. Integers are
/// big-endian. Source: Apple's published kernel, `bsd/vfs/vfs_xattr.c`.
enum AppleDoubleLayout {
  static let magic: UInt32 = 0x0005_1607
  static let version: UInt32 = 0x0002_0000
  static let filler = Array("Mac OS X        ".utf8)

  /// Where the number of entries stands, and where the first entry begins.
  static let entryCountOffset = 24
  static let entryTableOffset = 26
  static let entrySize = 12
  static let maximumEntries = 15

  static let finderInfoID: UInt32 = 9
  static let resourceForkID: UInt32 = 2
  /// Where macOS puts the Finder info: behind a table of two entries. Only there an attribute header counts.
  static let finderInfoOffset = 50
  static let finderInfoSize = 32

  /// `ATTR`, behind the Finder info and two bytes of padding.
  static let attributeMagic: UInt32 = 0x4154_5452
  static let attributeHeaderOffset = 84
  static let attributeTableOffset = 120
  static let maximumAttributes = 256
  static let maximumNameBytes = 127
  /// Header and attribute entries lie within what the kernel reads at once; values may lie behind it.
  static let maximumHeaderSize = 65_536

  /// Where the resource fork begins in a fresh file: 4096 bytes less the empty fork.
  static let freshForkOffset = 4096 - emptyFork.count
  static let growthStep = 4096

  /// The bytes of an attribute entry with a name of `count` bytes: fields, name, NUL, up to a multiple of 4.
  static func attributeEntrySize(nameBytes count: Int) -> Int { (11 + count + 1 + 3) & ~3 }

  /// The text at +16 by which an empty resource fork is known.
  static let emptyForkMark = Array("This resource fork intentionally left blank   ".utf8) + [0]

  /// What macOS writes for "no resource fork": a valid fork without resources.
  static let emptyFork: [UInt8] = {
    let header: [UInt8] = [0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 30]
    var fork = header + emptyForkMark
    fork += [UInt8](repeating: 0, count: 256 - fork.count)
    fork += header
    fork += [UInt8](repeating: 0, count: 280 - fork.count)
    fork += [0, 28, 0, 30, 0xFF, 0xFF]
    return fork
  }()

  /// Whether a fork is the empty one.
  static func isEmptyFork(_ fork: ArraySlice<UInt8>) -> Bool {
    if fork.isEmpty { return true }
    guard fork.count == emptyFork.count else { return false }
    let mark = fork.startIndex + 16
    return fork[mark..<mark + emptyForkMark.count].elementsEqual(emptyForkMark)
  }
}

/// Big-endian integers in a file's bytes, each read checked against its end.
struct BigEndianBytes {
  let bytes: [UInt8]

  func uint16(at offset: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - 2 else { return nil }
    return Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
  }

  func uint32(at offset: Int) -> UInt32? {
    guard offset >= 0, offset <= bytes.count - 4 else { return nil }
    return UInt32(bytes[offset]) << 24 | UInt32(bytes[offset + 1]) << 16 | UInt32(bytes[offset + 2]) << 8
      | UInt32(bytes[offset + 3])
  }

  /// The half-open range that two 32-bit fields, offset and length, describe; not checked against the file.
  func range(at offset: Int) -> Range<Int>? {
    guard let start = uint32(at: offset), let length = uint32(at: offset + 4) else { return nil }
    return Int(start)..<Int(start) + Int(length)
  }
}

extension [UInt8] {
  mutating func append(bigEndian value: UInt32) {
    append(contentsOf: [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)])
  }

  mutating func append(bigEndian value: UInt16) { append(contentsOf: [UInt8(value >> 8), UInt8(value & 0xFF)]) }

  mutating func pad(to count: Int) {
    if count > self.count { append(contentsOf: repeatElement(0, count: count - self.count)) }
  }
}
