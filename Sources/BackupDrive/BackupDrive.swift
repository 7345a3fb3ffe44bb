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
  let tree: Monitor<Namespace>
  let folderSync = FolderSync()
  let log: @Sendable (String) -> Void
  /// `nil` of a drive that is only read.
  private let session: Session?
  private let isClosed = Atomic<Bool>(false)
  let step: @Sendable (CommitStep) throws(Errno) -> Void

  /// Opens a marked folder. Before it returns, what earlier processes left unfinished is finished or undone (not with
  /// `readOnly`). `log` gets single lines for people, seldom; names in them are escaped.
  public static func open(
    folder: String, readOnly: Bool, log: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(DriveError) -> BackupDrive {
    try BackupDrive(folder: folder, readOnly: readOnly, hasJournal: nil, log: log)
  }

  /// The file systems that keep their folders consistent themselves.
  static let journaled: Set<String> = [
    "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "jfs", "bcachefs", "apfs",
  ]

  /// Those of which the drivers flush the whole drive with every fsync: the kernel's exFAT, and drivers in user space that
  /// write through the device's one cache.
  static let flushingAll: Set<String> = ["exfat", "fuseblk"]

  /// `hasJournal`, `step` and `recoveryStep` are for tests.
  init(
    folder path: String, readOnly: Bool, hasJournal: Bool?, log: @escaping @Sendable (String) -> Void,
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
      rules = try Self.findRules(root: top, session: session)
    } catch {
      throw DriveError("cannot write to the backup folder \(path.escapedForDisplay): \(error)", error)
    }
    self.log = log
    self.step = step
    let departures = Departures()
    root = DriveNode(number: Namespace.rootNumber, kind: .directory, isNew: false, departures: departures)
    tree = Monitor(Namespace(root: top, rules: rules, departures: departures, node: root))
  }

  deinit { close() }

  private static let caseVariant: FileName = FileName(".FOLDIC")

  private static func findRules(root: SharedDescriptor, session: Session?) throws(Errno) -> NameRules {
    let ignoresCase = try Namespace.kind(of: Self.caseVariant, in: root) != nil
    // exFAT counts UTF-16 units, in its limit too; every other drive that ignores case does the same.
    var rules = NameRules(ignoresCase: ignoresCase, refusesReserved: false, limitsBytes: !ignoresCase)
    guard let session else { return rules }
    let probe: FileName = FileName("probe:")
    do throws(Errno) {
      _ = try session.folder.descriptor.open(probe, [.write, .create, .exclusive], mode: 0o644)
      try session.folder.descriptor.removeFile(probe)
    } catch  where error == .noSuchFile || error == .invalid {
      rules.refusesReserved = true
    }
    return rules
  }

  /// Ends the session: what was not committed is discarded, later changes fail. Idempotent.
  public func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
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
    let found = try tree.withLock { (names) throws(Errno) in try names.resolve(name, in: folder.number) }
    guard let found else { throw .noSuchFile }
    return found
  }

  /// What stat says: of the pending version while there is one. `inode` is the node's number.
  public func status(of node: DriveNode) throws(Errno) -> FileStatus {
    var status: FileStatus
    if let open = node.versions?.state.withLock({ $0.pending?.file ?? $0.committed }) {
      status = try open.descriptor.status()
    } else {
      status = try tree.withLock { (names) throws(Errno) in
        guard let entry = names.entries[node.number] else { throw .noSuchFile }
        guard let name = entry.name else { return try names.root.descriptor.status() }
        return try names.folder(entry.parent).descriptor.status(of: name)
      }
    }
    status.inode = node.number
    return status
  }

  /// What a folder holds: files that are being made too, `.foldic` not.
  public func entries(of folder: DriveNode) throws(Errno) -> [DirectoryEntry] {
    guard folder.kind == .directory else { throw .notDirectory }
    return try tree.withLock { (names) throws(Errno) in try names.listing(folder.number) }
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

  func isService(_ name: FileName, in folder: DriveNode) -> Bool {
    folder.number == Namespace.rootNumber && NameRules.isService(name)
  }

  /// Throws for a name that must not be made.
  func check(_ name: FileName, in folder: DriveNode) throws(Errno) {
    guard folder.kind == .directory else { throw .notDirectory }
    try rules.check(name)
    guard !isService(name, in: folder) else { throw .notPermitted }
  }
}
