extension AppleDouble {
  private typealias Layout = AppleDoubleLayout

  /// The two shapes of a sidecar.
  public enum Form: Sendable {
    /// As the kernel writes it beside a file: 4096 bytes with room for more attributes, grown by steps of 4096, the empty
    /// resource fork as a template at the end.
    case kernel
    /// As archives hold it: no free space, no template.
    case compact
  }

  /// The bytes of the file: two entries, Finder info with the attributes first, the resource fork last, so that macOS can
  /// change it too. Values follow each other without gaps in the order of the attributes.
  ///
  /// Throws `foreignData` for a sidecar whose content this value holds only in part.
  public func serialised(_ form: Form = .kernel) throws(AppleDoubleError) -> [UInt8] {
    guard !holdsForeignData else { throw .foreignData }
    let tableSize = attributes.reduce(0) { $0 + Layout.attributeEntrySize(nameBytes: $1.name.count) }
    let dataLength = attributes.reduce(0) { $0 + $1.value.count }
    let dataStart = Layout.attributeTableOffset + tableSize
    let dataEnd = dataStart + dataLength
    let forkOffset: Int
    let fork: [UInt8]
    switch form {
    case .kernel:
      let missing = max(0, dataEnd - Layout.freshForkOffset)
      let steps = (missing + Layout.growthStep - 1) / Layout.growthStep
      forkOffset = Layout.freshForkOffset + steps * Layout.growthStep
      fork = resourceFork.isEmpty ? Layout.emptyFork : resourceFork
    case .compact:
      forkOffset = dataEnd
      fork = resourceFork
    }
    guard forkOffset + fork.count <= Self.maximumSize else { throw .tooLarge }

    var bytes: [UInt8] = []
    bytes.reserveCapacity(forkOffset + fork.count)
    appendHeader(to: &bytes, forkOffset: forkOffset, forkLength: fork.count)
    bytes.append(bigEndian: UInt32(dataStart))
    bytes.append(bigEndian: UInt32(dataLength))
    bytes.pad(to: bytes.count + 14)  // Three reserved words and the flags.
    bytes.append(bigEndian: UInt16(attributes.count))
    var valueOffset = dataStart
    for attribute in attributes {
      let entryEnd = bytes.count + Layout.attributeEntrySize(nameBytes: attribute.name.count)
      bytes.append(bigEndian: UInt32(valueOffset))
      bytes.append(bigEndian: UInt32(attribute.value.count))
      bytes.append(bigEndian: UInt16(0))
      bytes.append(UInt8(attribute.name.count + 1))
      bytes += attribute.name
      bytes.pad(to: entryEnd)
      valueOffset += attribute.value.count
    }
    for attribute in attributes { bytes += attribute.value }
    bytes.pad(to: forkOffset)
    bytes += fork
    return bytes
  }

  /// Everything up to the total size of the attribute header.
  private func appendHeader(to bytes: inout [UInt8], forkOffset: Int, forkLength: Int) {
    bytes.append(bigEndian: Layout.magic)
    bytes.append(bigEndian: Layout.version)
    bytes += Layout.filler
    bytes.append(bigEndian: UInt16(2))
    bytes.append(bigEndian: Layout.finderInfoID)
    bytes.append(bigEndian: UInt32(Layout.finderInfoOffset))
    bytes.append(bigEndian: UInt32(forkOffset - Layout.finderInfoOffset))
    bytes.append(bigEndian: Layout.resourceForkID)
    bytes.append(bigEndian: UInt32(forkOffset))
    bytes.append(bigEndian: UInt32(forkLength))
    bytes += finderInfo ?? [UInt8](repeating: 0, count: Layout.finderInfoSize)
    bytes.pad(to: Layout.attributeHeaderOffset)
    bytes.append(bigEndian: Layout.attributeMagic)
    bytes.append(bigEndian: debugTag)
    bytes.append(bigEndian: UInt32(forkOffset))
  }
}
