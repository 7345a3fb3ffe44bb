import Platform
import SQLite

/// A consistent private copy of a database with a write-ahead log that holds changes.
///
/// Photos may write meanwhile, and its locks are not taken. The log's header (salts and checkpoint number) changes each
/// time the log begins anew, which it must before a page of the database can change that is not in the log. So: header,
/// database, log, header again; the same header and a log that did not shrink mean that every page which changed in the
/// database during the copy is in the copied log as well. Frames of an unfinished transaction fail their checksum.
/// (sqlite.org/walformat.html; tried with a writer that checkpoints all the time.)
enum PrivateCopy {
  /// What came of one attempt.
  enum Attempt {
    case made(PhotosDatabase, lostChanges: Bool)
    /// The files changed in a way that may have torn the copy.
    case torn
  }

  /// Copies, recovers and opens. The copy's files have no name any more on return, so that nothing is left behind
  /// however the process ends.
  static func make(of files: DatabaseFiles, in bases: [String]) throws(LibraryError) -> Attempt {
    let before = try files.revision()
    guard let log = before.log else { return .torn }
    let folder: PrivateFolder
    // Recovery may grow the database by what is in the log. Bounded, since a sparse file may claim any size.
    let room = min(before.database.size, 1 << 60) + 2 * min(log.size, 1 << 60) + (16 << 20)
    do throws(FileError) { folder = try PrivateFolder.make(for: room, in: bases) } catch { throw .file(error) }
    let lastCommit: Int64
    do throws(Errno) {
      let directory = try files.openDirectory()
      try copy(try files.openDatabase(in: directory), to: DatabaseFiles.database, in: folder)
      guard let log = try files.openLog(in: directory) else { return .torn }
      try copy(log, to: DatabaseFiles.log, in: folder)
      lastCommit = try WriteAheadLog.lastCommit(in: try folder.descriptor.open(DatabaseFiles.log))
    } catch .noSpace {
      throw .file(
        FileError(
          "copy the database to", path: folder.path, errno: .noSpace,
          advice: "set TMPDIR to a folder with \(room >> 20) MB free"))
    } catch {
      throw files.failure(error)
    }
    let after = try files.revision()
    guard isConsistent(before, after) else { return .torn }
    let path = "\(folder.path)/\(DatabaseFiles.database)"
    let recovered: Int64
    do throws(SQLiteError) { recovered = try recover(path) } catch {
      throw PhotosDatabase.unreadable(files.folder.displayPath, error)
    }
    let lostChanges = recovered < lastCommit || !WriteAheadLog.isValidHeader(before.logHeader)
    // A transaction that was written during the copy may be there in part, which is no damage.
    if lostChanges, after != before { return .torn }
    let database = try PhotosDatabase(copy: path, of: files.folder.displayPath, before)
    return .made(database, lostChanges: lostChanges)
  }

  /// See the type's comment.
  static func isConsistent(_ before: LibraryRevision, _ after: LibraryRevision) -> Bool {
    guard let logBefore = before.log, let logAfter = after.log else { return false }
    return before.database.inode == after.database.inode && logBefore.inode == logAfter.inode
      && before.logHeader == after.logHeader && logAfter.size >= logBefore.size
  }

  private static func copy(
    _ file: borrowing Descriptor, to name: FileName, in folder: PrivateFolder
  ) throws(Errno) {
    let target = try folder.descriptor.open(name, [.readWrite, .create, .exclusive], mode: 0o600)
    try target.copyContents(of: file, length: .max)
  }

  /// Brings the log's changes into the database file and takes it out of WAL mode, so that the file alone is whole.
  /// Returns the number of frames that were sound.
  private static func recover(_ path: String) throws(SQLiteError) -> Int64 {
    let connection = try Connection(path: path, mode: .readWrite)
    // No other process knows the copy, and it need not survive a power cut.
    for pragma in ["trusted_schema=0", "cell_size_check=1", "locking_mode=EXCLUSIVE", "synchronous=OFF"] {
      try connection.execute("PRAGMA \(pragma)")
    }
    // A row of: busy, frames in the log, frames brought over. Less than nothing: the file is not in WAL mode.
    var checkpoint = try connection.prepare("PRAGMA wal_checkpoint(PASSIVE)")
    let frames = try checkpoint.step() ? max(0, checkpoint.int(1) ?? 0) : 0
    checkpoint.reset()
    var statement = try connection.prepare("PRAGMA journal_mode=DELETE")
    guard try statement.step(), statement.text(0) == "delete" else {
      throw SQLiteError(code: 0, message: "the write-ahead log of the copy could not be merged")
    }
    return frames
  }
}
