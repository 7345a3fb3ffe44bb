import Platform
import Synchronization

/// A marked folder on a drive, into which files are committed: whole under their names when close or fsync returns,
/// the old version or nothing before.
///
/// All methods may be called from any thread at once; they block, so never from the concurrency pool. Everything is
/// opened below the folder's descriptor from the start and through no link: what is mounted over it later is never
/// touched. The order of locks stands at `FileVersions`.
public final class BackupDrive: Sendable {
  /// The id of `.foldic/drive.json`: 32 hex digits.
  public let identity: String
  /// The top folder.
  public let root: DriveNode
  /// Whether one rename over a file is safe in a power cut, by the kind of file system.
  let hasJournal: Bool
  /// Whether one fsync makes everything durable.
  let flushesAll: Bool
  let rules: NameRules
  let abilities: DriveAbilities
  /// Whether sidecars are seen like other files.
  let showsSidecars: Bool
  let tree: Monitor<Namespace>
  let folderSync = FolderSync()
  let log: @Sendable (String) -> Void
  /// What happens to removed files.
  let deletion: Deletion
  let trashFailures = TrashFailures()
  /// `nil` of a drive that is only read.
  private let session: Session?
  private let isClosed = Atomic<Bool>(false)
  let step: @Sendable (CommitStep) throws(Errno) -> Void
  let recorder: CatalogRecorder?

  /// Opens a marked folder. Before it returns, what earlier processes left unfinished is finished or undone (not with
  /// `readOnly`). `deletion` says what `remove` does; with `catalog` what is committed is brought to the drive's catalog;
  /// with `showsSidecars` the sidecars of files are seen like other files. `log` gets single lines for people, seldom;
  /// names in them are escaped.
  public static func open(
    folder: String, readOnly: Bool, deletion: Deletion = .remove, catalog: Bool = false, showsSidecars: Bool = false,
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(DriveError) -> BackupDrive {
    try BackupDrive(
      folder: folder, readOnly: readOnly, deletion: deletion, catalog: catalog, showsSidecars: showsSidecars, log: log)
  }

  /// The file systems that keep their folders consistent themselves.
  static let journaled: Set<String> = [
    "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "jfs", "bcachefs", "apfs",
  ]

  /// Those of which the drivers flush the whole drive with every fsync: the kernel's exFAT, and drivers in user space that
  /// write through the device's one cache.
  static let flushingAll: Set<String> = ["exfat", "fuseblk"]

  /// `hasJournal`, `abilities`, `step` and `recoveryStep` are for tests.
  init(
    folder path: String, readOnly: Bool, hasJournal: Bool? = nil, abilities: DriveAbilities? = nil,
    deletion: Deletion = .remove, catalog: Bool = false, showsSidecars: Bool = false,
    log: @escaping @Sendable (String) -> Void,
    step: @escaping @Sendable (CommitStep) throws(Errno) -> Void = { _ in },
    recoveryStep: @escaping RecoveryStep = {}
  ) throws(DriveError) {
    let top = SharedDescriptor(try Self.openRoot(path))
    let service = try Self.openService(top.descriptor, of: path)
    guard let mark = try DriveMark.read(in: service, of: path) else {
      let shown = path.escapedForDisplay
      throw DriveError(
        "\(shown) is not marked as a backup; if it is the right one, run: foldicfs init \(shown)", .noSuchFile)
    }
    identity = mark.id
    let fileSystem = top.descriptor.fileSystemType()
    let isSafe = hasJournal ?? fileSystem.map(Self.journaled.contains) ?? false
    self.hasJournal = isSafe
    flushesAll = fileSystem.map(Self.flushingAll.contains) ?? false
    do throws(Errno) {
      session =
        readOnly ? nil : try Session(service: service, root: top, hasJournal: isSafe, log: log, step: recoveryStep)
      rules = NameRules(
        ignoresCase: try Namespace.kind(of: Self.caseVariant, in: top) != nil)
      if let abilities {
        self.abilities = abilities
      } else {
        self.abilities = try DriveAbilities.find(root: top, session: session)
      }
    } catch {
      throw DriveError("cannot write to the backup folder \(path.escapedForDisplay): \(error)", error)
    }
    self.log = log
    self.deletion = deletion
    self.step = step
    recorder = catalog && !readOnly ? CatalogRecorder(root: top, log: log) : nil
    self.showsSidecars = showsSidecars
    let departures = Departures()
    root = DriveNode(number: Namespace.rootNumber, kind: .directory, isNew: false, departures: departures)
    tree = Monitor(Namespace(root: top, rules: rules, abilities: self.abilities, departures: departures, node: root))
    if !readOnly { repairTrash(top) }
  }

  deinit { close() }

  private static let caseVariant: FileName = FileName(".FOLDIC")

  /// Ends the session: what was not committed is discarded, later changes fail. Idempotent.
  public func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    trashFailures.flush(to: log)
    recorder?.close()
    guard let session else { return }
    try? settle(session)
    session.end()
  }

  /// The session of a drive that may be written; EROFS of another, ENODEV after `close()`.
  func writable() throws(Errno) -> Session {
    guard let session else { throw .readOnly }
    guard !isClosed.load(ordering: .acquiring) else { throw .noSuchDevice }
    return session
  }

  // MARK: - Reading the tree

  /// What is under a name, or under another normal form of it; ENOENT also for a variant in case. The same object as
  /// long as anybody holds it.
  public func lookup(_ name: FileName, in folder: DriveNode) throws(Errno) -> DriveNode {
    guard folder.kind == .directory else { throw .notDirectory }
    guard name.string != nil else { throw .illegalSequence }
    guard !isService(name, in: folder) else { throw .noSuchFile }
    let found = try tree.withLock { (names) throws(Errno) -> DriveNode? in
      if try isHidden(name, in: folder.number, &names) { return nil }
      return try names.resolve(name, in: folder.number)
    }
    guard let found else { throw .noSuchFile }
    return found
  }

  /// What stat says: of the pending version while there is one. `inode` is the node's number.
  public func status(of node: DriveNode) throws(Errno) -> FileStatus {
    var status: FileStatus
    let (pending, committed, time) =
      node.versions?.state.withLock { ($0.pending, $0.committed, $0.pendingTime) } ?? (nil, nil, nil)
    if let pending {
      status = try pending.file.descriptor.status()
      if let time { status.modified = time }
      status.inode = node.number
      return status
    }
    if let committed {
      status = try committed.descriptor.status()
    } else {
      status = try tree.withLock { (names) throws(Errno) in
        guard let entry = names.entries[node.number] else { throw .noSuchFile }
        guard let name = entry.name else { return try names.root.descriptor.status() }
        return try names.folder(entry.parent).descriptor.status(of: name)
      }
    }
    if abilities.roundsTimes, node !== root {
      let found = status
      status.modified = try tree.withLock { (names) throws(Errno) in try names.exactTime(of: node.number, found) }
    }
    status.inode = node.number
    return status
  }

  /// What a folder holds: files that are being made too, `.foldic` and sidecars of files not.
  public func entries(of folder: DriveNode) throws(Errno) -> [DirectoryEntry] {
    guard folder.kind == .directory else { throw .notDirectory }
    return try tree.withLock { (names) throws(Errno) in try names.listing(folder.number, showingSidecars: showsSidecars)
    }
  }

  /// The room on the drive.
  public func statistics() throws(Errno) -> VolumeStatistics {
    try tree.withLock { $0.root }.descriptor.volumeStatistics()
  }

  /// fsync of a folder: returns when its entries are on the medium.
  public func synchronize(folder: DriveNode) throws(Errno) {
    guard folder.kind == .directory else { throw .notDirectory }
    let open = try tree.withLock { (names) throws(Errno) in try names.folder(folder.number) }
    try folderSync.synchronize(folder.number, open)
  }

  /// Whether this is the sidecar of a file, and not to be seen.
  func isHidden(_ name: FileName, in folder: UInt64, _ names: inout Namespace) throws(Errno) -> Bool {
    guard !showsSidecars, Sidecar.hasForm(name) else { return false }
    for candidate in try Namespace.candidates(for: name) where try names.isBound(candidate.stored, in: folder) {
      return true
    }
    return false
  }

  func isService(_ name: FileName, in folder: DriveNode) -> Bool {
    folder.number == Namespace.rootNumber && NameRules.isService(name)
  }

  /// Throws for a name that must not be made.
  func check(_ name: FileName, in folder: DriveNode) throws(Errno) {
    guard folder.kind == .directory else { throw .notDirectory }
    try NameRules.check(name)
    guard !isService(name, in: folder) else { throw .notPermitted }
  }
}
