import Platform

/// Gives out the names of one folder so that no drive takes two of them for one.
///
/// Whoever comes first gets the plain name; whoever comes later and clashes gets `stem~1A2B3C4D` with the start of its id.
/// The callers' order (by date added, then id) therefore makes the names stable.
struct FolderNames {
  private var taken: Set<String> = []

  /// Takes `stem` + each of `suffixes`, together or not at all, and returns the names in the order of `suffixes`.
  /// - Parameters:
  ///   - stem: portable.
  ///   - suffixes: portable ends such as `.HEIC`, ` (Edited).jpeg`; empty for folders.
  ///   - id: distinguishes those who clash; only its ASCII letters and digits are used.
  mutating func take(stem: String, suffixes: [String], id: String) -> [String] {
    let letters = String(id.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }).uppercased()
    for mark in ["", "~" + letters.prefix(8), "~" + letters.prefix(40)] {
      if let names = claim(stem: stem, suffixes: suffixes.map { mark + $0 }) { return names }
    }
    // Two records with one id: a damaged library. Count on.
    var number = 2
    while true {
      let mark = "~\(letters.prefix(40))-\(number)"
      if let names = claim(stem: stem, suffixes: suffixes.map { mark + $0 }) { return names }
      number += 1
    }
  }

  private mutating func claim(stem: String, suffixes: [String]) -> [String]? {
    let stem = PortableName.cut(stem, for: suffixes)
    let names = suffixes.map { stem + $0 }
    let keys = Set(names.map(PortableName.collisionKey))
    guard keys.count == names.count, taken.isDisjoint(with: keys) else { return nil }
    taken.formUnion(keys)
    return names
  }
}
