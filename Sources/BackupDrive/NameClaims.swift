import Platform

/// A name in a folder, by what a drive may take for one.
struct NameKey: Hashable, Sendable {
  let folder: UInt64
  let key: [UInt8]

  init(_ name: FileName, in folder: UInt64) {
    self.folder = folder
    key = FolderIndex.key(name)
  }
}

/// The names that are being changed in several steps. Who wants one waits until it is free; several are taken at once or
/// not at all, so that nobody waits for a name while keeping another.
struct NameClaims: Sendable {
  private var names: Set<NameKey> = []
  private var isExclusive = false
  private var exclusiveWaiting = 0

  /// Whether nobody changes these names.
  func areFree(_ keys: Set<NameKey>) -> Bool {
    !isExclusive && exclusiveWaiting == 0 && names.isDisjoint(with: keys)
  }

  /// Takes the names, or says that one is taken.
  mutating func take(_ keys: Set<NameKey>) -> Bool {
    guard areFree(keys) else { return false }
    names.formUnion(keys)
    return true
  }

  mutating func release(_ keys: Set<NameKey>) { names.subtract(keys) }

  /// All names: for moves of folders, which change the paths of everything below. Keeps others from beginning meanwhile.
  mutating func waitForAll() { exclusiveWaiting += 1 }

  /// Takes all names after `waitForAll()`, or says that some are still taken.
  mutating func takeAll() -> Bool {
    guard !isExclusive, names.isEmpty else { return false }
    exclusiveWaiting -= 1
    isExclusive = true
    return true
  }

  mutating func releaseAll() { isExclusive = false }
}
