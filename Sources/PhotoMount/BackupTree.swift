import BackupDrive
import Fuse
import Platform
import Synchronization

/// `Backup/`: the drive's nodes by inode number. Numbers are given out as the kernel comes to know nodes, and forgotten
/// with them.
final class BackupTree: Sendable {
  /// The number of `Backup/` itself, which is never forgotten.
  static let rootNumber: UInt64 = 1

  private struct Known {
    let node: DriveNode
    var references: UInt64
  }

  private struct Table {
    var known: [UInt64: Known] = [:]
    var numbers: [ObjectIdentifier: UInt64] = [:]
    var next = BackupTree.rootNumber + 1
  }

  let drive: BackupDrive
  let settings: MountSettings
  /// What stands in the trash's `info` folder.
  let infos: TrashInfoFiles
  private let table = Mutex(Table())

  init(_ drive: BackupDrive, _ settings: MountSettings) {
    self.drive = drive
    self.settings = settings
    infos = TrashInfoFiles(drive)
  }

  // MARK: - Numbers

  private func node(_ number: UInt64) throws(Errno) -> DriveNode {
    if number == Self.rootNumber { return drive.root }
    guard let known = table.withLock({ $0.known[number] }) else { throw .stale }
    return known.node
  }

  /// The number of a node, counting one more reference of the kernel.
  private func reference(_ node: DriveNode) -> UInt64 {
    if node === drive.root { return Self.rootNumber }
    return table.withLock { table in
      let number = table.numbers[ObjectIdentifier(node)] ?? table.next
      if number == table.next {
        table.next += 1
        table.numbers[ObjectIdentifier(node)] = number
      }
      table.known[number, default: Known(node: node, references: 0)].references += 1
      return number
    }
  }

  func forget(_ number: UInt64, count: UInt64) {
    // The node may go with its last reference: let it do so outside of the lock.
    let gone: DriveNode? = table.withLock { table in
      guard var known = table.known[number] else { return nil }
      known.references -= min(count, known.references)
      guard known.references == 0 else {
        table.known[number] = known
        return nil
      }
      table.known[number] = nil
      table.numbers[ObjectIdentifier(known.node)] = nil
      return known.node
    }
    _ = gone
  }

  // MARK: - Entries

  func entry(_ node: DriveNode) throws(Errno) -> Entry {
    let status = try infos.status(of: node)
    let number = reference(node)
    return Entry(
      attributes: attributes(status, number), entryTimeout: MountSettings.backupTimeout,
      attributeTimeout: MountSettings.backupTimeout)
  }

  private func attributes(_ status: FileStatus, _ number: UInt64) -> FileAttributes {
    let all: UInt32 = status.kind == .directory ? 0o777 : 0o666
    var result = FileAttributes(
      inode: NodeNumber.backup(number).inode, kind: status.kind, permissions: all & ~settings.umask,
      size: status.kind == .directory ? 0 : status.size, blocks: status.blocks, time: status.modified,
      userID: settings.userID, groupID: settings.groupID)
    result.accessed = status.accessed
    result.changed = status.changed
    return result
  }

  func rootEntry() throws(Errno) -> Entry { try entry(drive.root) }

  func lookup(_ name: FileName, in number: UInt64) throws(Errno) -> Entry {
    let folder = try node(number)
    guard !isHidden(name, in: folder) else { throw .noSuchFile }
    let found = try drive.lookup(name, in: folder)
    infos.note(found, name, in: folder)
    return try entry(found)
  }

  func attributes(of number: UInt64) throws(Errno) -> FileAttributes {
    attributes(try infos.status(of: try node(number)), number)
  }

  func statistics() throws(Errno) -> VolumeStatistics { try drive.statistics() }

  // MARK: - Changes

  /// The folder in which a name is to be made.
  private func target(_ number: UInt64, for name: FileName) throws(Errno) -> DriveNode {
    let folder = try node(number)
    guard !isHidden(name, in: folder) else { throw .notPermitted }
    return folder
  }

  /// The folder in which a name is.
  private func source(_ number: UInt64, of name: FileName) throws(Errno) -> DriveNode {
    let folder = try node(number)
    guard !isHidden(name, in: folder) else { throw .noSuchFile }
    return folder
  }

  func makeFile(_ name: FileName, in number: UInt64) throws(Errno) -> Entry {
    let (node, handle) = try drive.create(name, in: try target(number, for: name), exclusive: true)
    defer { handle.release() }
    try handle.flush(writerWasKilled: false)
    return try entry(node)
  }

  func makeDirectory(_ name: FileName, in number: UInt64) throws(Errno) -> Entry {
    let folder = try target(number, for: name)
    let made = try drive.makeDirectory(name, in: folder)
    infos.note(made, name, in: folder)
    return try entry(made)
  }

  func removeFile(_ name: FileName, in number: UInt64) throws(Errno) {
    try drive.remove(name, in: try source(number, of: name))
  }

  func removeDirectory(_ name: FileName, in number: UInt64) throws(Errno) {
    try drive.removeDirectory(name, in: try source(number, of: name))
  }

  func rename(
    _ old: FileName, in oldNumber: UInt64, to new: FileName, in newNumber: UInt64, _ rule: Descriptor.RenameRule
  ) throws(Errno) {
    try drive.rename(
      old, in: try source(oldNumber, of: old), to: new, in: try target(newNumber, for: new), rule: rule)
  }

  /// Owner and mode are taken without a word and without effect, as vfat's `quiet` does: the drive has none.
  func setAttributes(
    of number: UInt64, _ change: AttributeChange, file: (any FileHandle)?
  ) throws(Errno) -> FileAttributes {
    let node = try node(number)
    if let size = change.size {
      if let open = file as? BackupFile {
        try open.truncate(to: size)
      } else if let open = file as? TrashInfoFile {
        try open.truncate(to: size)
      } else if infos.contains(node) {
        try infos.truncate(node, to: size)
      } else {
        try drive.truncate(node, to: size)
      }
    }
    if change.accessed != .keep || change.modified != .keep {
      try drive.setTimes(of: node, accessed: change.accessed, modified: change.modified)
    }
    return attributes(try infos.status(of: node), number)
  }

  // MARK: - Extended attributes

  func attribute(_ name: [UInt8], of number: UInt64) throws(Errno) -> [UInt8] {
    try drive.attribute(name, of: try node(number))
  }

  func attributeNames(of number: UInt64) throws(Errno) -> [[UInt8]] {
    try drive.attributeNames(of: try node(number))
  }

  func setAttribute(
    _ name: [UInt8], of number: UInt64, to value: [UInt8], _ rule: AttributeRule
  ) throws(Errno) {
    let ownRule: AppleDouble.SetRule =
      switch rule {
      case .set: .either
      case .create: .create
      case .replace: .replace
      }
    try drive.setAttribute(name, of: try node(number), to: value, rule: ownRule)
  }

  func removeAttribute(_ name: [UInt8], of number: UInt64) throws(Errno) {
    try drive.removeAttribute(name, of: try node(number))
  }

  // MARK: - Open files and folders

  // Past the page cache: a reader must get the committed version while a writer has another one under the same inode.
  private func opened(_ handle: DriveHandle, _ mode: OpenMode) throws(Errno) -> OpenedFile {
    guard infos.contains(handle.node) else { return OpenedFile(BackupFile(handle, settings.commit), isDirect: true) }
    return OpenedFile(
      try infos.open(handle, writes: mode.writes || mode.truncates, truncated: mode.truncates), isDirect: true)
  }

  func open(_ number: UInt64, _ mode: OpenMode) throws(Errno) -> OpenedFile {
    let node = try node(number)
    // An info file is rewritten whole when it is flushed, from what is read now.
    let isInfo = infos.contains(node)
    let handle = try drive.open(
      node, reading: mode.reads, writing: mode.writes, truncate: mode.truncates && !isInfo,
      append: mode.appends && !isInfo)
    do throws(Errno) { return try opened(handle, mode) } catch {
      handle.release()
      throw error
    }
  }

  func create(_ name: FileName, in number: UInt64, _ mode: OpenMode) throws(Errno) -> (Entry, OpenedFile) {
    let (node, handle) = try drive.create(
      name, in: try target(number, for: name), exclusive: mode.isExclusive)
    do throws(Errno) {
      let file = try opened(handle, mode)
      return (try entry(node), file)
    } catch {
      handle.release()
      throw error
    }
  }

  func openDirectory(_ number: UInt64) throws(Errno) -> OpenedDirectory {
    let node = try node(number)
    return OpenedDirectory(BackupDirectory(self, node, number, try shownEntries(of: node)))
  }

  func synchronizeDirectory(_ number: UInt64) throws(Errno) { try drive.synchronize(folder: try node(number)) }

  fileprivate func listedEntry(_ name: FileName, in folder: DriveNode) throws(Errno) -> Entry {
    let found = try drive.lookup(name, in: folder)
    infos.note(found, name, in: folder)
    return try entry(found)
  }
}

/// An open folder of the drive.
final class BackupDirectory: DirectoryHandle {
  let ownInodes: (own: InodeNumber, parent: InodeNumber)
  private let tree: BackupTree
  private let folder: DriveNode
  private let entries: [DirectoryEntry]

  init(_ tree: BackupTree, _ folder: DriveNode, _ number: UInt64, _ entries: [DirectoryEntry]) {
    self.tree = tree
    self.folder = folder
    self.entries = entries
    let own = NodeNumber.backup(number).inode
    ownInodes = (own, number == BackupTree.rootNumber ? .root : own)
  }

  var count: Int { entries.count }

  // Numbers of nodes that the kernel does not know yet are not fixed: any will do that is not 0.
  func item(at index: Int) -> (name: FileName, inode: InodeNumber, kind: FileStatus.Kind) {
    (entries[index].name, InodeNumber(rawValue: UInt64(UInt32.max)), entries[index].kind ?? .file)
  }

  func entry(at index: Int, _ request: Request) -> Entry? {
    // An entry that cannot be asked is listed all the same; the error comes to whoever stats it.
    try? tree.listedEntry(entries[index].name, in: folder)
  }
}
