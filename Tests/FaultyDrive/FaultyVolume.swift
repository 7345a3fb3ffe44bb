import Fuse
import Platform
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A mounted file system for tests that does what a `FaultPlan` says and can show what a power cut would leave.
public final class FaultyVolume: FileSystem {
  private struct State {
    var volume = MemoryVolume()
    var plan = FaultPlan.none
    var operations = 0
    /// What everything answers once the drive is gone.
    var gone: Errno?
  }

  private let state = Mutex(State())
  private let gate = SynchronizeGate()
  /// Whether extended attributes are kept; else they are refused as on exFAT.
  let keepsAttributes: Bool

  /// An empty volume.
  ///
  /// - Parameters:
  ///   - flushesEverything: any fsync makes everything durable, as on exfat-fuse.
  ///   - isJournaled: changes of folders reach the medium whole and in order, and renameat2 knows its flags, as on ext4.
  public init(
    keepsAttributes: Bool = true, flushesEverything: Bool = false, isJournaled: Bool = false, capacity: Int = .max
  ) {
    self.keepsAttributes = keepsAttributes
    state.withLock {
      $0.volume.flushesEverything = flushesEverything
      $0.volume.isJournaled = isJournaled
      $0.volume.capacity = capacity
    }
  }

  private init(_ volume: MemoryVolume, keepsAttributes: Bool) {
    self.keepsAttributes = keepsAttributes
    state.withLock { $0.volume = volume }
  }

  /// Sets what goes wrong from now on and starts counting anew.
  public func plan(_ plan: FaultPlan) {
    state.withLock {
      $0.plan = plan
      $0.operations = 0
      $0.gone = nil
    }
  }

  /// Operations since the plan was set.
  public var operations: Int { state.withLock { $0.operations } }

  /// The next fsync of a file will wait until `letSynchronizeGo()`.
  public func holdNextSynchronize() { gate.arm() }

  /// Returns when an fsync waits.
  public func waitUntilHeld() { gate.waitUntilHeld() }

  /// Lets the fsync that waits go on.
  public func letSynchronizeGo() { gate.open() }

  /// The volume that is there when power comes back. With a seed, what was not synchronised has arrived or not by chance.
  public func afterCut(seed: UInt64?) -> FaultyVolume {
    var generator = seed.map { SeededGenerator(seed: $0) }
    return FaultyVolume(
      state.withLock { $0.volume.afterCut(&generator) }, keepsAttributes: keepsAttributes)
  }

  /// Counts an operation and lets the plan happen to it.
  private func operate<R>(
    _ request: Request, _ body: (inout MemoryVolume) throws(Errno) -> R
  ) throws(Errno) -> R {
    let victim = request.processID
    let result: Result<R, Errno> = state.withLock { state in
      if let gone = state.gone { return .failure(gone) }
      state.operations += 1
      switch state.plan {
      case .fail(let number, let error) where number == state.operations: return .failure(error)
      case .failInARow(let number, let count, let error)
      where (number..<number + count).contains(state.operations): return .failure(error)
      case .kill(let number) where number == state.operations:
        kill(victim, SIGKILL)
        return .failure(.interrupted)
      case .cut(let number) where number == state.operations:
        state.gone = .inputOutput
        return .failure(.inputOutput)
      case .vanish(let number, let error) where number == state.operations:
        state.gone = error
        return .failure(error)
      default: break
      }
      do throws(Errno) { return .success(try body(&state.volume)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private func look<R>(_ body: (inout MemoryVolume) throws(Errno) -> R) throws(Errno) -> R {
    let result: Result<R, Errno> = state.withLock { state in
      if let gone = state.gone { return .failure(gone) }
      do throws(Errno) { return .success(try body(&state.volume)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  // MARK: - Names

  /// See `FileSystem`.
  public func lookup(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) -> Entry {
    try look { (volume) throws(Errno) in
      guard let inode = volume.nodes[parent.rawValue]?.children[name] else { throw .noSuchFile }
      return try Self.entry(inode, &volume)
    }
  }

  /// See `FileSystem`.
  public func forget(_ inode: InodeNumber, count: UInt64) {
    state.withLock { state in
      guard let node = state.volume.nodes[inode.rawValue] else { return }
      state.volume.nodes[inode.rawValue]?.references = node.references - min(count, node.references)
      state.volume.drop(inode.rawValue)
    }
  }

  /// See `FileSystem`.
  public func makeFile(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) -> Entry {
    try make(.file, name, in: parent, request)
  }

  /// See `FileSystem`.
  public func makeDirectory(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) -> Entry {
    try make(.directory, name, in: parent, request)
  }

  private func make(
    _ kind: FileStatus.Kind, _ name: FileName, in parent: InodeNumber, _ request: Request
  ) throws(Errno) -> Entry {
    try operate(request) { (volume) throws(Errno) in
      guard let folder = volume.nodes[parent.rawValue] else { throw .stale }
      guard folder.children[name] == nil else { throw .exists }
      let inode = volume.make(kind, name, in: parent.rawValue)
      return try Self.entry(inode, &volume)
    }
  }

  /// See `FileSystem`.
  public func removeFile(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) {
    try operate(request) { (volume) throws(Errno) in
      guard volume.nodes[parent.rawValue]?.children[name] != nil else { throw .noSuchFile }
      volume.unlink(name, in: parent.rawValue)
    }
  }

  /// See `FileSystem`.
  public func removeDirectory(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) {
    try operate(request) { (volume) throws(Errno) in
      guard let inode = volume.nodes[parent.rawValue]?.children[name] else { throw .noSuchFile }
      guard volume.nodes[inode]?.children.isEmpty ?? true else { throw .notEmpty }
      volume.unlink(name, in: parent.rawValue)
    }
  }

  /// See `FileSystem`.
  public func rename(
    _ old: FileName, in oldParent: InodeNumber, to new: FileName, in newParent: InodeNumber, flags: RenameFlags,
    _ request: Request
  ) throws(Errno) {
    try operate(request) { (volume) throws(Errno) in
      // Without a journal as exfat-fuse, the poorest of the drives.
      guard flags.isEmpty || volume.isJournaled && flags != .whiteout else { throw .invalid }
      guard let inode = volume.nodes[oldParent.rawValue]?.children[old] else { throw .noSuchFile }
      volume.beginTransaction()
      defer { volume.endTransaction() }
      if let target = volume.nodes[newParent.rawValue]?.children[new] {
        guard flags != .noReplace else { throw .exists }
        guard target != inode else { return }
        if flags == .exchange {
          volume.link(old, in: oldParent.rawValue, to: target)
          return volume.link(new, in: newParent.rawValue, to: inode)
        }
        guard volume.nodes[target]?.children.isEmpty ?? true else { throw .notEmpty }
        volume.unlink(new, in: newParent.rawValue)
      } else if flags == .exchange {
        throw .noSuchFile
      }
      volume.link(old, in: oldParent.rawValue, to: nil)
      volume.link(new, in: newParent.rawValue, to: inode)
    }
  }

  // MARK: - Attributes

  private static func entry(_ inode: UInt64, _ volume: inout MemoryVolume) throws(Errno) -> Entry {
    guard let node = volume.nodes[inode] else { throw .stale }
    volume.nodes[inode]?.references += 1
    return Entry(attributes: attributes(inode, node), entryTimeout: 0, attributeTimeout: 0)
  }

  private static func attributes(_ inode: UInt64, _ node: MemoryVolume.Node) -> FileAttributes {
    var result = FileAttributes(
      inode: InodeNumber(rawValue: inode), kind: node.kind, permissions: 0o777, size: Int64(node.bytes.count),
      time: node.modified, userID: getuid(), groupID: getgid())
    result.accessed = node.accessed
    return result
  }

  /// See `FileSystem`.
  public func attributes(
    of inode: InodeNumber, _ request: Request
  ) throws(Errno) -> (FileAttributes, timeout: Double) {
    try look { (volume) throws(Errno) in
      guard let node = volume.nodes[inode.rawValue] else { throw .stale }
      return (Self.attributes(inode.rawValue, node), 0)
    }
  }

  /// See `FileSystem`.
  public func setAttributes(
    of inode: InodeNumber, _ change: AttributeChange, file: (any FileHandle)?, _ request: Request
  ) throws(Errno) -> (FileAttributes, timeout: Double) {
    try operate(request) { (volume) throws(Errno) in
      if let size = change.size { try Self.resize(inode.rawValue, Int(size), &volume) }
      func apply(_ change: TimeChange, _ path: WritableKeyPath<MemoryVolume.Node, Timestamp>) {
        switch change {
        case .keep: break
        case .now: volume.nodes[inode.rawValue]?[keyPath: path] = .now
        case .set(let time): volume.nodes[inode.rawValue]?[keyPath: path] = time
        }
      }
      apply(change.accessed, \.accessed)
      apply(change.modified, \.modified)
      guard let node = volume.nodes[inode.rawValue] else { throw .stale }
      return (Self.attributes(inode.rawValue, node), 0)
    }
  }

  fileprivate static func resize(_ inode: UInt64, _ size: Int, _ volume: inout MemoryVolume) throws(Errno) {
    guard let count = volume.nodes[inode]?.bytes.count else { throw .stale }
    if size > count {
      guard volume.used + size - count <= volume.capacity else { throw .noSpace }
      volume.nodes[inode]?.bytes.append(contentsOf: repeatElement(0, count: size - count))
    } else {
      volume.nodes[inode]?.bytes.removeLast(count - size)
    }
    volume.nodes[inode]?.modified = .now
  }

  /// See `FileSystem`.
  public func attribute(_ name: [UInt8], of inode: InodeNumber, _ request: Request) throws(Errno) -> [UInt8] {
    guard keepsAttributes else { throw .notSupported }
    return try look { (volume) throws(Errno) in
      guard let value = volume.nodes[inode.rawValue]?.attributes[name] else { throw .noAttribute }
      return value
    }
  }

  /// See `FileSystem`.
  public func attributeNames(of inode: InodeNumber, _ request: Request) throws(Errno) -> [[UInt8]] {
    guard keepsAttributes else { throw .notSupported }
    return try look { (volume) throws(Errno) in Array((volume.nodes[inode.rawValue]?.attributes ?? [:]).keys) }
  }

  /// See `FileSystem`.
  public func setAttribute(
    _ name: [UInt8], of inode: InodeNumber, to value: [UInt8], rule: AttributeRule, _ request: Request
  ) throws(Errno) {
    guard keepsAttributes else { throw .notSupported }
    try operate(request) { (volume) throws(Errno) in volume.nodes[inode.rawValue]?.attributes[name] = value }
  }

  /// See `FileSystem`.
  public func removeAttribute(_ name: [UInt8], of inode: InodeNumber, _ request: Request) throws(Errno) {
    guard keepsAttributes else { throw .notSupported }
    try operate(request) { (volume) throws(Errno) in
      guard volume.nodes[inode.rawValue]?.attributes.removeValue(forKey: name) != nil else { throw .noAttribute }
    }
  }

  /// See `FileSystem`.
  public func statistics(of inode: InodeNumber, _ request: Request) throws(Errno) -> VolumeStatistics {
    try look { (volume) throws(Errno) in
      let blocks = UInt64(min(volume.capacity, 1 << 40) / 4096)
      let used = UInt64(volume.used / 4096)
      return VolumeStatistics(
        blockSize: 4096, blocks: blocks, freeBlocks: blocks - min(used, blocks),
        availableBlocks: blocks - min(used, blocks), files: 0, freeFiles: 0, maximumNameLength: 255)
    }
  }

  // MARK: - Open files and folders

  /// See `FileSystem`.
  public func open(_ inode: InodeNumber, _ mode: OpenMode, _ request: Request) throws(Errno) -> OpenedFile {
    if mode.truncates {
      try operate(request) { (volume) throws(Errno) in try Self.resize(inode.rawValue, 0, &volume) }
    }
    state.withLock { $0.volume.nodes[inode.rawValue]?.references += 1 }
    return OpenedFile(File(self, inode.rawValue), isDirect: true)
  }

  /// See `FileSystem`.
  public func create(
    _ name: FileName, in parent: InodeNumber, _ mode: OpenMode, _ request: Request
  ) throws(Errno) -> (Entry, OpenedFile) {
    let entry = try make(.file, name, in: parent, request)
    let inode = entry.attributes.inode.rawValue
    state.withLock { $0.volume.nodes[inode]?.references += 1 }
    return (entry, OpenedFile(File(self, inode), isDirect: true))
  }

  /// See `FileSystem`.
  public func openDirectory(_ inode: InodeNumber, _ request: Request) throws(Errno) -> OpenedDirectory {
    let items = try look { (volume) throws(Errno) in
      guard let node = volume.nodes[inode.rawValue] else { throw .stale }
      return node.children.map { name, child in
        (name: name, inode: InodeNumber(rawValue: child), kind: volume.nodes[child]?.kind ?? .file)
      }.sorted { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }
    }
    return OpenedDirectory(Listing(inode, items))
  }

  /// See `FileSystem`.
  public func synchronizeDirectory(_ inode: InodeNumber, _ request: Request) throws(Errno) {
    try operate(request) { (volume) throws(Errno) in volume.synchronize(inode.rawValue) }
  }

  private final class File: FileHandle {
    private let owner: FaultyVolume
    private let inode: UInt64

    init(_ owner: FaultyVolume, _ inode: UInt64) {
      self.owner = owner
      self.inode = inode
    }

    func read(count: Int, at offset: Int64, _ request: Request) throws(Errno) -> ReadReply {
      .bytes(
        try owner.look { (volume) throws(Errno) in
          guard let bytes = volume.nodes[inode]?.bytes else { throw .stale }
          return Array(bytes.dropFirst(Int(offset)).prefix(count))
        })
    }

    func write(_ data: borrowing WriteData, at offset: Int64, _ request: Request) throws(Errno) {
      let content = try data.bytes()
      try owner.operate(request) { (volume) throws(Errno) in
        let end = Int(offset) + content.count
        if volume.nodes[inode]?.bytes.count ?? 0 < end { try FaultyVolume.resize(inode, end, &volume) }
        volume.nodes[inode]?.bytes.replaceSubrange(Int(offset)..<end, with: content)
        volume.nodes[inode]?.modified = .now
      }
    }

    func synchronize(_ request: Request) throws(Errno) {
      owner.gate.pass()
      try owner.operate(request) { (volume) throws(Errno) in volume.synchronize(inode) }
    }

    func release() { owner.forget(InodeNumber(rawValue: inode), count: 1) }
  }

  private final class Listing: DirectoryHandle {
    let ownInodes: (own: InodeNumber, parent: InodeNumber)
    private let items: [(name: FileName, inode: InodeNumber, kind: FileStatus.Kind)]

    init(_ inode: InodeNumber, _ items: [(name: FileName, inode: InodeNumber, kind: FileStatus.Kind)]) {
      ownInodes = (inode, inode)
      self.items = items
    }

    var count: Int { items.count }
    func item(at index: Int) -> (name: FileName, inode: InodeNumber, kind: FileStatus.Kind) { items[index] }
    func entry(at index: Int, _ request: Request) -> Entry? { nil }
  }
}
