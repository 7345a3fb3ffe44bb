import Platform

/// A file system's content in memory that knows what a power cut would leave of it: a file's bytes since its last fsync
/// and a folder's entries since its own are not on the medium yet.
struct MemoryVolume: Sendable {
  struct Node: Sendable {
    var kind: FileStatus.Kind
    var bytes: [UInt8] = []
    var children: [FileName: UInt64] = [:]
    var accessed: Timestamp = .now
    var modified: Timestamp = .now
    var attributes: [[UInt8]: [UInt8]] = [:]
    /// Bytes on the medium; `nil` before the first fsync.
    var durableBytes: [UInt8]?
    /// Entries on the medium.
    var durableChildren: [FileName: UInt64] = [:]
    /// Names that changed since the last fsync, in order: each may or may not have reached the medium.
    var pending: [(name: FileName, inode: UInt64?)] = []
    /// Open handles and the kernel's references keep an unlinked node.
    var references: UInt64 = 0
    var links = 1
  }

  var nodes: [UInt64: Node] = [1: Node(kind: .directory)]
  private var next: UInt64 = 2
  /// Bytes that fit; files beyond answer ENOSPC.
  var capacity = Int.max
  /// fsync of anything makes everything durable, as exfat-fuse does.
  var flushesEverything = false
  /// Changes of folders reach the medium whole and in order.
  var isJournaled = false
  /// Of a volume with a journal: the changes since the last fsync of anything.
  private var journal: [[Change]] = []
  private var isInTransaction = false

  private struct Change: Sendable {
    let parent: UInt64
    let name: FileName
    let inode: UInt64?
  }

  init() {}

  var used: Int { nodes.values.reduce(0) { $0 + $1.bytes.count } }

  mutating func make(_ kind: FileStatus.Kind, _ name: FileName, in parent: UInt64) -> UInt64 {
    let number = next
    next += 1
    nodes[number] = Node(kind: kind)
    link(name, in: parent, to: number)
    return number
  }

  mutating func link(_ name: FileName, in parent: UInt64, to inode: UInt64?) {
    nodes[parent]?.children[name] = inode
    nodes[parent]?.pending.append((name, inode))
    nodes[parent]?.modified = .now
    guard isJournaled else { return }
    let change = Change(parent: parent, name: name, inode: inode)
    if isInTransaction, !journal.isEmpty {
      journal[journal.count - 1].append(change)
    } else {
      journal.append([change])
    }
  }

  /// What follows until the end reaches the medium as one, with a journal.
  mutating func beginTransaction() {
    journal.append([])
    isInTransaction = true
  }

  mutating func endTransaction() { isInTransaction = false }

  mutating func unlink(_ name: FileName, in parent: UInt64) {
    guard let inode = nodes[parent]?.children[name] else { return }
    link(name, in: parent, to: nil)
    // Two names that a power cut left of one file are one chain of clusters: to remove one frees it for both.
    if !isJournaled, nodes.values.contains(where: { $0.children.values.contains(inode) }) {
      let garbage = [UInt8](repeating: 0xDD, count: nodes[inode]?.bytes.count ?? 0)
      nodes[inode]?.bytes = garbage
      nodes[inode]?.durableBytes = garbage
    }
    nodes[inode]?.links = 0
    drop(inode)
  }

  mutating func drop(_ inode: UInt64) {
    guard let node = nodes[inode], node.links == 0, node.references == 0 else { return }
    // What the medium still names must stay readable after a cut.
    if !nodes.values.contains(where: { $0.durableChildren.values.contains(inode) }) { nodes[inode] = nil }
  }

  mutating func synchronize(_ inode: UInt64) {
    guard !flushesEverything else {
      for number in nodes.keys { synchronizeOne(number) }
      return
    }
    synchronizeOne(inode)
  }

  private mutating func synchronizeOne(_ inode: UInt64) {
    guard let node = nodes[inode] else { return }
    if isJournaled { commitJournal() }
    if node.kind == .directory {
      nodes[inode]?.durableChildren = node.children
      nodes[inode]?.pending = []
    } else {
      nodes[inode]?.durableBytes = node.bytes
    }
  }

  private mutating func commitJournal() {
    for (number, node) in nodes where node.kind == .directory {
      nodes[number]?.durableChildren = node.children
      nodes[number]?.pending = []
    }
    journal = []
  }

  /// The same volume with as much of its journal on the medium as chance wants.
  private func withPartOfJournal(_ generator: inout (some RandomNumberGenerator)?) -> MemoryVolume {
    var result = self
    let count = (0..<journal.count + 1).randomElement(using: &generator) ?? 0
    for change in journal.prefix(count).joined() {
      result.nodes[change.parent]?.durableChildren[change.name] = change.inode
    }
    for number in result.nodes.keys { result.nodes[number]?.pending = [] }
    result.journal = []
    return result
  }

  /// What the medium holds after a power cut. With a generator each entry that was not synchronised yet may have arrived
  /// or not, and bytes too, in part; without one nothing that was not synchronised has.
  func afterCut(_ generator: inout (some RandomNumberGenerator)?) -> MemoryVolume {
    if isJournaled, !journal.isEmpty { return withPartOfJournal(&generator).afterCut(&generator) }
    var result = MemoryVolume()
    result.isJournaled = isJournaled
    result.capacity = capacity
    result.flushesEverything = flushesEverything
    result.next = next
    var waiting: [UInt64] = [1]
    while let inode = waiting.popLast() {
      guard var node = nodes[inode] else { continue }
      if node.kind == .directory {
        node.children = node.durableChildren
        for (name, target) in node.pending where generator?.chance() ?? false { node.children[name] = target }
        node.durableChildren = node.children
        node.pending = []
        waiting += node.children.values
      } else {
        let durable = node.durableBytes ?? []
        node.bytes = generator?.chance() ?? false ? node.bytes : durable
        if node.durableBytes == nil, let count = node.bytes.indices.randomElement(using: &generator) {
          node.bytes.removeLast(node.bytes.count - count)
        }
        node.durableBytes = node.bytes
      }
      node.references = 0
      node.links = 1
      result.nodes[inode] = node
    }
    // Entries that lead to nothing which ever reached the medium.
    let reached = Set(result.nodes.keys)
    for (number, node) in result.nodes where node.kind == .directory {
      let children = node.children.filter { reached.contains($0.value) }
      result.nodes[number]?.children = children
      result.nodes[number]?.durableChildren = children
    }
    return result
  }
}

extension RandomNumberGenerator {
  fileprivate mutating func chance() -> Bool { Bool.random(using: &self) }
}

extension Range<Int> {
  fileprivate func randomElement(using generator: inout (some RandomNumberGenerator)?) -> Int? {
    guard var own = generator else { return nil }
    defer { generator = own }
    return randomElement(using: &own)
  }
}
