import Platform

/// Files that may be one: after a power cut in a rename a drive without a journal may show a file under both names.
extension SharedDescriptor {
  /// Whether two files below this folder hold the same bytes; `false` also when one cannot be read.
  func haveSameBytes(_ one: RelativePath, _ other: RelativePath) -> Bool {
    guard let first = try? descriptor.open(beneath: one, [.read, .nonBlocking]),
      let second = try? descriptor.open(beneath: other, [.read, .nonBlocking])
    else { return false }
    var offset: Int64 = 0
    while true {
      guard let piece = try? first.read(count: 1 << 18, at: offset),
        let same = try? second.read(count: 1 << 18, at: offset), piece == same
      else { return false }
      if piece.isEmpty { return true }
      offset += Int64(piece.count)
    }
  }
}
