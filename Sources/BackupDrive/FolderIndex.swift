import Platform

/// The names of one folder by what a case-insensitive drive takes for one: finds twins without a listing for each name.
struct FolderIndex: Sendable {
  private var spellings: [[UInt8]: [FileName]] = [:]

  init() {}

  init(_ names: some Sequence<FileName>) { for name in names { insert(name) } }

  /// Equal for names that some drive might take for one.
  static func key(_ name: FileName) -> [UInt8] {
    guard let text = name.string else { return name.bytes }
    return Array(PortableName.collisionKey(text).utf8)
  }

  mutating func insert(_ name: FileName) {
    var list = spellings[Self.key(name), default: []]
    if !list.contains(name) { list.append(name) }
    spellings[Self.key(name)] = list
  }

  mutating func remove(_ name: FileName) {
    let key = Self.key(name)
    spellings[key]?.removeAll { $0 == name }
    if spellings[key]?.isEmpty == true { spellings[key] = nil }
  }

  /// All names with the key of `name`, itself too when it is there.
  func names(like name: FileName) -> [FileName] { spellings[Self.key(name)] ?? [] }
}
