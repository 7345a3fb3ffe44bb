import Platform
import SQLite

/// One revision of an Apple Photos library.
final class ApplePhotosSnapshot: Snapshot {
  let title: String
  let libraryID: String?
  let albums: [Album]
  private let database: PhotosDatabase
  private let queries: AssetQueries
  private let finder: RenditionFinder
  private let references: ReferenceRoots
  private let records: [AlbumID: AlbumRecord]

  init(
    database: PhotosDatabase, queries: AssetQueries, finder: RenditionFinder, references: ReferenceRoots,
    libraryID: String?, records: [AlbumRecord]
  ) {
    self.database = database
    self.queries = queries
    self.finder = finder
    self.references = references
    self.libraryID = libraryID
    title = finder.folder.title
    albums = records.map(\.album)
    self.records = Dictionary(records.map { ($0.album.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func members(of album: AlbumID) throws(LibraryError) -> [Asset] {
    guard let record = records[album] else { throw .noSuchAlbum }
    guard record.album.kind != .folder else { return [] }
    let membership = queries.schema.membership
    guard membership != nil || record.row == nil else {
      throw .unreadableDatabase(
        path: database.displayPath, reason: "the table of album members is not found: the library's form is unknown")
    }
    let queries = queries
    return assets(
      try database.read { (connection) throws(SQLiteError) in
        try queries.members(of: record, membership, connection)
      })
  }

  func assets(after number: Int64, limit: Int) throws(LibraryError) -> [Asset] {
    guard limit > 0 else { return [] }
    let queries = queries
    return assets(
      try database.read { (connection) throws(SQLiteError) in
        try queries.mainView(after: number, limit: limit, connection)
      })
  }

  func asset(number: Int64) throws(LibraryError) -> Asset? {
    let queries = queries
    return try database.read { (connection) throws(SQLiteError) in
      try queries.asset(number: number, connection)
    }.map { finder.asset($0.row, $0.resources) }
  }

  func open(_ rendition: Rendition) throws(LibraryError) -> Descriptor { try open(rendition.location, .read) }

  func status(of rendition: Rendition) throws(LibraryError) -> FileStatus {
    let file = try open(rendition.location, .statusOnly)
    do throws(Errno) { return try file.status() } catch {
      throw .file(FileError("look at a file of", path: database.displayPath, errno: error))
    }
  }

  private func open(_ location: Rendition.Location, _ options: Descriptor.Options) throws(LibraryError) -> Descriptor {
    switch location {
    case .bundle(let candidates): try finder.folder.open(candidates, options)
    case .referenced(let path): try references.open(path, options)
    case .nowhere: throw .notHere
    }
  }

  /// Looks at the disk, so it runs when the connection is free for others again.
  private func assets(_ records: [AssetRecord]) -> [Asset] { records.map { finder.asset($0.row, $0.resources) } }
}
