/// The folders that were used last, open: a call on an entry then needs no walk along the path.
struct FolderCache: Sendable {
  private static let limit = 64
  private var folders: [UInt64: (folder: SharedDescriptor, used: UInt64)] = [:]
  private var clock: UInt64 = 0

  mutating func find(_ number: UInt64) -> SharedDescriptor? {
    guard let known = folders[number] else { return nil }
    clock += 1
    folders[number] = (known.folder, clock)
    return known.folder
  }

  mutating func insert(_ number: UInt64, _ folder: SharedDescriptor) {
    if folders.count >= Self.limit, let oldest = folders.min(by: { $0.value.used < $1.value.used }) {
      folders[oldest.key] = nil
    }
    clock += 1
    folders[number] = (folder, clock)
  }

  mutating func forget(_ number: UInt64) { folders[number] = nil }
}
