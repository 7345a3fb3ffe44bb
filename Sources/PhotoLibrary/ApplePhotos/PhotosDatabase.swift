import Platform
import SQLite

/// The database of a library, open to be read: one unchanging revision of it. May be used from any thread.
final class PhotosDatabase: Sendable {
  /// For messages.
  let displayPath: String
  let revision: LibraryRevision
  private let pool: ConnectionPool
  /// The file in the bundle, where it is read in place; a private copy needs no watch.
  private let watched: WatchedFile?

  private final class WatchedFile: Sendable {
    private let file: Descriptor
    private let stamp: LibraryRevision.FileStamp

    init(_ file: consuming Descriptor, _ stamp: LibraryRevision.FileStamp) {
      self.file = file
      self.stamp = stamp
    }

    var isUnchanged: Bool {
      guard let status = try? file.status() else { return false }
      return LibraryRevision.FileStamp(status) == stamp
    }
  }

  /// So that one long listing does not hold up the others.
  private static let connectionCount = 4

  /// Opens the file in the bundle where it lies. Only right while the log holds nothing.
  init(inPlace files: DatabaseFiles, _ revision: LibraryRevision) throws(LibraryError) {
    displayPath = files.folder.displayPath
    self.revision = revision
    do throws(Errno) {
      let file = try files.openDatabase(in: try files.openDirectory())
      watched = WatchedFile(file, revision.database)
    } catch {
      throw files.failure(error)
    }
    do throws(SQLiteError) {
      pool = try ConnectionPool(immutable: files.path, count: Self.connectionCount)
    } catch {
      throw Self.unreadable(displayPath, error)
    }
  }

  /// Opens a private copy at `path`; the file's name may go afterwards.
  init(copy path: String, of displayPath: String, _ revision: LibraryRevision) throws(LibraryError) {
    self.displayPath = displayPath
    self.revision = revision
    watched = nil
    do throws(SQLiteError) { pool = try ConnectionPool(immutable: path, count: Self.connectionCount) } catch {
      throw Self.unreadable(displayPath, error)
    }
  }

  /// Runs queries on one connection. What comes back was read from one revision, or an error is thrown.
  func read<R: Sendable>(
    _ body: @Sendable (Connection) throws(SQLiteError) -> R
  ) throws(LibraryError) -> R {
    let result: R
    do throws(SQLiteError) { result = try pool.withConnection(body) } catch {
      try verifyUnchanged()
      throw Self.unreadable(displayPath, error)
    }
    try verifyUnchanged()
    return result
  }

  /// The schema, read in the same way.
  func schema() throws(LibraryError) -> PhotosSchema {
    let schema: PhotosSchema
    do throws(PhotosSchema.Failure) {
      schema = try pool.withConnection { (connection) throws(PhotosSchema.Failure) in try PhotosSchema(connection) }
    } catch {
      try verifyUnchanged()
      switch error {
      case .database(let error): throw Self.unreadable(displayPath, error)
      case .missing(let part):
        throw .unreadableDatabase(
          path: displayPath, reason: "its database has no \(part): it is damaged or of an unknown form")
      }
    }
    try verifyUnchanged()
    return schema
  }

  /// A file that is written while it is read in place can give pages of two ages.
  private func verifyUnchanged() throws(LibraryError) {
    guard isUnchanged else { throw .unreadableDatabase(path: displayPath, reason: Self.changed) }
  }

  /// The name may point to a newer file by now: what counts is the file that is open.
  private var isUnchanged: Bool { watched?.isUnchanged ?? true }

  private static let changed = "the library was changed while it was read; open it again"

  static func unreadable(_ path: String, _ error: SQLiteError) -> LibraryError {
    let advice = error.isDamage ? "the database is damaged; repair the library in Photos or use a backup of it" : ""
    return .unreadableDatabase(path: path, reason: advice.isEmpty ? error.description : "\(advice): \(error)")
  }
}
