import Platform

/// The database of a bundle and its write-ahead log, as files.
struct DatabaseFiles: Sendable {
  static let database: FileName = FileName("Photos.sqlite")
  static let log: FileName = FileName("Photos.sqlite-wal")
  static let directory: FileName = FileName("database")

  let folder: LibraryFolder

  /// The absolute path, for SQLite.
  var path: String { "\(folder.path)/\(Self.directory)/\(Self.database)" }

  /// What both files look like now.
  func revision() throws(LibraryError) -> LibraryRevision {
    do throws(Errno) {
      let directory = try openDirectory()
      let database = try directory.status(of: Self.database)
      guard database.kind == .file else { throw .isDirectory }
      let log = try openLog(in: directory)
      guard let log else { return LibraryRevision(database: .init(database), log: nil, logHeader: []) }
      return LibraryRevision(
        database: .init(database), log: .init(try log.status()), logHeader: try log.read(count: 32, at: 0))
    } catch {
      throw failure(error)
    }
  }

  /// The folder of both.
  func openDirectory() throws(Errno) -> Descriptor { try folder.root.open(Self.directory, [.read, .directory]) }

  /// The database file, for reading.
  func openDatabase(in directory: borrowing Descriptor) throws(Errno) -> Descriptor {
    let file = try directory.open(Self.database, [.read, .nonBlocking])
    guard try file.status().kind == .file else { throw .isDirectory }
    return file
  }

  /// The log, for reading; `nil` when there is none.
  func openLog(in directory: borrowing Descriptor) throws(Errno) -> Descriptor? {
    do throws(Errno) {
      let file = try directory.open(Self.log, [.read, .nonBlocking])
      guard try file.status().kind == .file else { throw .isDirectory }
      return file
    } catch .noSuchFile {
      return nil
    }
  }

  /// The error for a person when the files cannot be read.
  func failure(_ error: Errno) -> LibraryError {
    switch error {
    case .isDirectory, .tooManyLinks, .notDirectory:
      .notALibrary(
        path: folder.displayPath, reason: "database/Photos.sqlite or its log is not an ordinary file in the library")
    default:
      .file(FileError("read the database of", path: folder.displayPath, errno: error))
    }
  }
}
