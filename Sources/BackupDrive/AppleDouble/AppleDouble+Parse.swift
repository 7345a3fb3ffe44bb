extension AppleDouble {
  private typealias Layout = AppleDoubleLayout

  /// Reads a sidecar by the rules of the kernel's own reader: what breaks one makes the whole file one without
  /// attributes, for macOS and here, and throws.
  ///
  /// Both forms are read, the 4096-byte one of the kernel and the compact one of archives. No length field is used before
  /// it is checked against the file, so that nothing larger than the file itself is ever allocated. Of two attributes
  /// with one name the first counts.
  public static func parse(_ bytes: [UInt8]) throws(AppleDoubleError) -> AppleDouble {
    guard bytes.count <= maximumSize else { throw .tooLarge }
    let file = BigEndianBytes(bytes: bytes)
    guard file.uint32(at: 0) == Layout.magic, file.uint32(at: 4) == Layout.version,
      let count = file.uint16(at: Layout.entryCountOffset)
    else { throw .notAppleDouble }
    var result = AppleDouble()
    var sawFinderInfo = false
    var sawFork = false
    for (index, entry) in try entries(of: file, count: count).enumerated() {
      switch entry.id {
      case Layout.finderInfoID where !sawFinderInfo && entry.range.count >= Layout.finderInfoSize:
        sawFinderInfo = true
        try result.readFinderInfo(file, entry.range, isFirst: index == 0)
      case Layout.resourceForkID where !sawFork:
        sawFork = true
        try result.setResourceFork(Array(bytes[entry.range]))
      default:
        // An empty entry loses nothing when it is not written again.
        if !entry.range.isEmpty { result.holdsForeignData = true }
      }
    }
    return result
  }

  private struct Entry {
    let id: UInt32
    let range: Range<Int>
  }

  private static func entries(of file: BigEndianBytes, count: Int) throws(AppleDoubleError) -> [Entry] {
    guard (1...Layout.maximumEntries).contains(count) else { throw .badEntries }
    let tableEnd = Layout.entryTableOffset + count * Layout.entrySize
    var entries: [Entry] = []
    for index in 0..<count {
      let offset = Layout.entryTableOffset + index * Layout.entrySize
      guard let id = file.uint32(at: offset), let range = file.range(at: offset + 4),
        range.lowerBound >= tableEnd, range.upperBound <= file.bytes.count,
        !entries.contains(where: { $0.range.overlaps(range) })
      else { throw .badEntries }
      entries.append(Entry(id: id, range: range))
    }
    return entries
  }

  private mutating func readFinderInfo(
    _ file: BigEndianBytes, _ range: Range<Int>, isFirst: Bool
  ) throws(AppleDoubleError) {
    let infoEnd = range.lowerBound + Layout.finderInfoSize
    try setFinderInfo(Array(file.bytes[range.lowerBound..<infoEnd]))
    if isFirst, range.lowerBound == Layout.finderInfoOffset, range.upperBound >= Layout.attributeTableOffset,
      file.uint32(at: Layout.attributeHeaderOffset) == Layout.attributeMagic
    {
      try readAttributes(file, areaEnd: range.upperBound)
    } else if file.bytes[infoEnd..<range.upperBound].contains(where: { $0 != 0 }) {
      holdsForeignData = true
    }
  }

  private mutating func readAttributes(_ file: BigEndianBytes, areaEnd: Int) throws(AppleDoubleError) {
    let header = Layout.attributeHeaderOffset
    guard let tag = file.uint32(at: header + 4), let totalSize = file.uint32(at: header + 8),
      let data = file.range(at: header + 12), let count = file.uint16(at: header + 34),
      Int(totalSize) <= areaEnd, data.lowerBound >= Layout.attributeTableOffset, data.upperBound <= Int(totalSize),
      count <= Layout.maximumAttributes
    else { throw .badAttributes }
    debugTag = tag
    var known: Set<[UInt8]> = []
    var valueBytes = 0
    var offset = Layout.attributeTableOffset
    let tableLimit = min(data.lowerBound, Layout.maximumHeaderSize)
    for _ in 0..<count {
      guard offset + 11 <= tableLimit, let value = file.range(at: offset) else { throw .badAttributes }
      let nameEnd = offset + 11 + Int(file.bytes[offset + 10]) - 1  // The length counts the NUL.
      let next = offset + Layout.attributeEntrySize(nameBytes: nameEnd - offset - 11)
      guard nameEnd > offset + 11, nameEnd - offset - 11 <= Layout.maximumNameBytes, next <= tableLimit,
        value.lowerBound >= data.lowerBound, value.upperBound <= data.upperBound
      else { throw .badAttributes }
      let name = Array(file.bytes[offset + 11..<nameEnd])
      guard !name.contains(0), file.bytes[nameEnd] == 0 else { throw .badAttributes }
      valueBytes += value.count
      guard valueBytes <= data.count else { throw .badAttributes }
      if known.insert(name).inserted { try set(name, to: Array(file.bytes[value])) }
      offset = next
    }
    guard valueBytes == data.count else { throw .badAttributes }
  }
}
