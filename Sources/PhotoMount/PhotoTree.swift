import BackupDrive
import Fuse
import PhotoLibrary
import Platform
import Synchronization

/// The mounted tree: the library's views, and `Backup/` when there is a drive.
public final class PhotoTree: FileSystem {
  static let backupName: FileName = FileName("Backup")
  private static let uuidAttribute = Array("user.foldic.uuid".utf8)
  /// An attribute of the mount's top, not listed: the number of the process that serves it, for whoever ends the mount and
  /// waits until the drive is let go of.
  public static let processAttribute = Array("user.foldic.process".utf8)

  private let library: LibraryPart
  private let backup: BackupTree?
  private let connection = Mutex<Connection?>(nil)

  /// Puts a library, and a drive if there is one, into one tree.
  public init(_ snapshot: any Snapshot, backup drive: BackupDrive?, _ settings: MountSettings) {
    library = LibraryPart(snapshot, settings, hasWritableTop: drive != nil)
    backup = drive.map { BackupTree($0, settings) }
  }

  /// See `FileSystem`.
  public func started(_ connection: Connection) {
    self.connection.withLock { $0 = connection }
  }

  private enum Place {
    case library(NodeNumber)
    case backup(BackupTree, UInt64)
  }

  private func place(_ inode: InodeNumber) throws(Errno) -> Place {
    guard let node = NodeNumber(inode) else { throw .stale }
    guard case .backup(let number) = node else { return .library(node) }
    guard let backup else { throw .stale }
    return .backup(backup, number)
  }

  /// The tree and number of something in `Backup/`; EROFS for everything else.
  private func writable(_ inode: InodeNumber) throws(Errno) -> (BackupTree, UInt64) {
    guard case .backup(let tree, let number) = try place(inode) else { throw .readOnly }
    return (tree, number)
  }

  // MARK: - Names

  /// See `FileSystem`.
  public func lookup(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) -> Entry {
    switch try place(parent) {
    case .backup(let tree, let number): return try tree.lookup(name, in: number)
    case .library(.fixed(.root)) where name == Self.backupName:
      guard let backup else { throw .noSuchFile }
      return try backup.rootEntry()
    case .library(.fixed(.root)) where name == backup?.trashName:
      guard let backup else { throw .noSuchFile }
      return try backup.trashEntry()
    case .library(let node): return try library.lookup(name, in: node)
    }
  }

  /// See `FileSystem`.
  public func forget(_ inode: InodeNumber, count: UInt64) {
    if case .backup(let tree, let number)? = try? place(inode) { tree.forget(number, count: count) }
  }

  /// See `FileSystem`.
  public func makeFile(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) -> Entry {
    let (tree, number) = try writable(parent)
    return try tree.makeFile(name, in: number)
  }

  /// The drive when a name in a folder is that of its trash at the top of the mount.
  private func trash(_ name: FileName, in parent: InodeNumber) -> BackupTree? {
    NodeNumber(parent) == .fixed(.root) && name == backup?.trashName ? backup : nil
  }

  /// See `FileSystem`.
  public func makeDirectory(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) -> Entry {
    if let backup = trash(name, in: parent) { return try backup.makeTrash() }
    let (tree, number) = try writable(parent)
    return try tree.makeDirectory(name, in: number)
  }

  /// See `FileSystem`.
  public func removeFile(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) {
    let (tree, number) = try writable(parent)
    try tree.removeFile(name, in: number)
  }

  /// See `FileSystem`.
  public func removeDirectory(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) {
    if let backup = trash(name, in: parent) { return try backup.removeTrash() }
    let (tree, number) = try writable(parent)
    try tree.removeDirectory(name, in: number)
  }

  /// See `FileSystem`.
  public func rename(
    _ old: FileName, in oldParent: InodeNumber, to new: FileName, in newParent: InodeNumber, flags: RenameFlags,
    _ request: Request
  ) throws(Errno) {
    let (tree, oldNumber) = try writable(oldParent)
    let (_, newNumber) = try writable(newParent)
    let rule: Descriptor.RenameRule
    switch flags {
    case []: rule = .replace
    case .noReplace: rule = .noReplace
    case .exchange: rule = .exchange
    default: throw .invalid
    }
    try tree.rename(old, in: oldNumber, to: new, in: newNumber, rule)
  }

  // MARK: - Attributes

  /// See `FileSystem`.
  public func attributes(
    of inode: InodeNumber, _ request: Request
  ) throws(Errno) -> (FileAttributes, timeout: Double) {
    switch try place(inode) {
    case .backup(let tree, let number): (try tree.attributes(of: number), MountSettings.backupTimeout)
    case .library(let node): (try library.attributes(of: node), MountSettings.libraryTimeout)
    }
  }

  /// See `FileSystem`.
  public func setAttributes(
    of inode: InodeNumber, _ change: AttributeChange, file: (any FileHandle)?, _ request: Request
  ) throws(Errno) -> (FileAttributes, timeout: Double) {
    let (tree, number) = try writable(inode)
    return (try tree.setAttributes(of: number, change, file: file), MountSettings.backupTimeout)
  }

  /// See `FileSystem`.
  public func readLink(_ inode: InodeNumber, _ request: Request) throws(Errno) -> [UInt8] { throw .notPermitted }

  /// See `FileSystem`. The drive's room, also for the library: one mount has one answer.
  public func statistics(of inode: InodeNumber, _ request: Request) throws(Errno) -> VolumeStatistics {
    guard let backup else { return .none }
    return try backup.statistics()
  }

  /// See `FileSystem`.
  public func attribute(_ name: [UInt8], of inode: InodeNumber, _ request: Request) throws(Errno) -> [UInt8] {
    switch try place(inode) {
    case .backup(let tree, let number): return try tree.attribute(name, of: number)
    case .library(.fixed(.root)) where name == Self.processAttribute:
      return Array(String(ProcessState.ownNumber).utf8)
    case .library(let node):
      guard name == Self.uuidAttribute, let uuid = try library.uuid(of: node) else { throw .noAttribute }
      return Array(uuid.utf8)
    }
  }

  /// See `FileSystem`.
  public func attributeNames(of inode: InodeNumber, _ request: Request) throws(Errno) -> [[UInt8]] {
    switch try place(inode) {
    case .backup(let tree, let number): return try tree.attributeNames(of: number)
    case .library(let node): return try library.uuid(of: node) == nil ? [] : [Self.uuidAttribute]
    }
  }

  /// See `FileSystem`.
  public func setAttribute(
    _ name: [UInt8], of inode: InodeNumber, to value: [UInt8], rule: AttributeRule, _ request: Request
  ) throws(Errno) {
    let (tree, number) = try writable(inode)
    try tree.setAttribute(name, of: number, to: value, rule)
  }

  /// See `FileSystem`.
  public func removeAttribute(_ name: [UInt8], of inode: InodeNumber, _ request: Request) throws(Errno) {
    let (tree, number) = try writable(inode)
    try tree.removeAttribute(name, of: number)
  }

  // MARK: - Open files and folders

  /// See `FileSystem`.
  public func open(_ inode: InodeNumber, _ mode: OpenMode, _ request: Request) throws(Errno) -> OpenedFile {
    switch try place(inode) {
    case .backup(let tree, let number): return try tree.open(number, mode)
    case .library(let node):
      guard !mode.writes else { throw .readOnly }
      let (opened, isChanged) = try library.open(node)
      if isChanged { connection.withLock { $0 }?.invalidateAttributes(of: inode) }
      return opened
    }
  }

  /// See `FileSystem`.
  public func create(
    _ name: FileName, in parent: InodeNumber, _ mode: OpenMode, _ request: Request
  ) throws(Errno) -> (Entry, OpenedFile) {
    let (tree, number) = try writable(parent)
    return try tree.create(name, in: number, mode)
  }

  /// See `FileSystem`.
  public func openDirectory(_ inode: InodeNumber, _ request: Request) throws(Errno) -> OpenedDirectory {
    switch try place(inode) {
    case .backup(let tree, let number): return try tree.openDirectory(number)
    case .library(let node):
      guard let backup, node == .fixed(.root) else { return try library.openDirectory(node, more: []) }
      let names = [Self.backupName] + (backup.hasTrash ? [backup.trashName] : [])
      let more = names.map { LibraryViews.Item(name: $0, node: .backup(BackupTree.rootNumber)) }
      var opened = try library.openDirectory(node, more: more)
      opened.isCached = false  // The trash comes and goes.
      return opened
    }
  }

  /// See `FileSystem`.
  public func synchronizeDirectory(_ inode: InodeNumber, _ request: Request) throws(Errno) {
    if case .backup(let tree, let number) = try place(inode) { try tree.synchronizeDirectory(number) }
  }
}
