/// Appending numbers and texts to a byte array, in the orders that the file formats here want.
extension [UInt8] {
  mutating func append(big value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  mutating func append(little value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  mutating func append(text: String) { append(contentsOf: text.utf8) }
}
