import Platform

/// Reads every file of a backup through the drive and compares it with the catalog.
///
/// Goes through files and rows side by side in the order of their paths, so that memory does not grow with the drive and
/// an unfinished run can go on behind the last path. What seems damaged or missing is looked at once more at the end: a
/// mount that is in use writes its rows a second late.
public struct DriveVerification: ~Copyable {
  /// How to verify.
  public struct Options: Sendable {
    /// Begin at the first file, whatever an earlier run has done.
    public var restarts = false
    /// Take what is damaged or missing for right from now on.
    public var accepts = false
    /// Where to write the list of hashes.
    public var list: String?
    /// The folder for checkpoints; with `nil` an interrupted run begins anew.
    public var stateFolder = UserFolders.state
    /// Milliseconds between the last suspicion and the second look: longer than a mount keeps rows back.
    var patience = 2500
    /// Called before each folder is listed and each file is read: may fail that, for tests.
    var access: @Sendable (RelativePath) throws(Errno) -> Void = { _ in }
    /// Milliseconds between checkpoints.
    var checkpointInterval = 2000

    /// The usual ones.
    public init() {}
  }

  /// What is told while it runs.
  public struct Progress: Sendable {
    /// The counts so far.
    public var counts: VerificationCounts
    /// How many files the catalog knows.
    public var known: Int
    /// Bad findings so far.
    public var bad: Int
  }

  let drive: BackupDrive
  let catalog: Catalog
  let checkpoint: Checkpoint?
  let options: Options
  let cancellation: Cancellation
  let log: @Sendable (String) -> Void
  let medium: MediumCache
  let known: Int
  let isBehind: Bool
  let tell: (Progress) -> Void

  var counts = VerificationCounts()
  var findings: [Finding] = []
  var bad = 0
  var findingIndex: [RelativePath: Int] = [:]
  var position: RelativePath?
  var isResumed = false
  var unreadable: [RelativePath] = []
  var changes: [CatalogChange] = []
  var lastSave = MonotonicTime.now
  var lastSuspicion: MonotonicTime?

  /// Verifies a backup folder. Unfinished commits of processes that are gone are dealt with first.
  /// - Parameters:
  ///   - log: gets single lines for people.
  ///   - progress: called after each chunk of 1 MiB and each file; must be quick.
  /// - Throws: when nothing can be said: no such drive, no catalog. A file that cannot be read is a finding.
  public static func run(
    folder: String, options: Options = Options(), cancellation: Cancellation,
    log: @escaping @Sendable (String) -> Void, progress: (Progress) -> Void
  ) throws(DriveError) -> VerificationReport {
    let drive = try BackupDrive.open(folder: folder, readOnly: false, log: log)
    defer { drive.close() }
    return try withoutActuallyEscaping(progress) { (progress) throws(DriveError) in
      var run = try DriveVerification(drive, options, cancellation, log, progress)
      return try run.run()
    }
  }

  private init(
    _ drive: BackupDrive, _ options: Options, _ cancellation: Cancellation, _ log: @escaping @Sendable (String) -> Void,
    _ tell: @escaping (Progress) -> Void
  ) throws(DriveError) {
    let catalog: Catalog
    let known: Int
    do throws(CatalogError) {
      catalog = try drive.openCatalog(thoroughly: true)
      known = try catalog.count()
    } catch { throw Self.error(error) }
    let isBehind: Bool
    do throws(Errno) { isBehind = try Catalog.isBehind(in: try drive.openService()) } catch {
      throw DriveError("cannot read .foldic on the drive: \(error)", error)
    }
    let checkpoint = try Self.checkpoint(of: drive, options, log)
    if let name = catalog.setAside {
      log(
        "the catalog was damaged: kept it as .foldic/\(name) and begin a new one; which files are missing or damaged"
          + " since it was written cannot be known")
    }
    self.drive = drive
    self.catalog = catalog
    self.checkpoint = checkpoint
    self.options = options
    self.cancellation = cancellation
    self.log = log
    self.medium = MediumCache(of: drive.top.descriptor)
    self.known = known
    self.isBehind = isBehind
    self.tell = tell
  }

  private static func checkpoint(
    of drive: BackupDrive, _ options: Options, _ log: (String) -> Void
  ) throws(DriveError) -> Checkpoint? {
    guard let state = options.stateFolder else { return nil }
    do throws(Errno) { return try Checkpoint(drive: drive.identity, state: state) } catch {
      if error == .busy {
        throw DriveError("this drive is being verified by another foldicfs; wait for it, or end it", error)
      }
      log("cannot keep in \(state) how far this came (\(error)): an interrupted run would begin anew")
      return nil
    }
  }

  static func error(_ error: CatalogError) -> DriveError { DriveError("\(error)", .inputOutput) }
}
