import Platform
import SQLite

/// Opens libraries of Apple Photos 5 and later (macOS 10.15 and later).
enum ApplePhotosSource: LibrarySource {
  static func open(_ folder: LibraryFolder, options: LibraryOptions) throws(LibraryError) -> OpenedLibrary? {
    try open(folder, options: options, copyBases: PrivateFolder.bases)
  }

  /// As above, with the folders in which a private copy may be made.
  static func open(
    _ folder: LibraryFolder, options: LibraryOptions, copyBases: [String]
  ) throws(LibraryError) -> OpenedLibrary? {
    switch BundleForm.recognise(folder) {
    case .unknown: return nil
    case .photos5: break
    case .iPhoto:
      throw .notALibrary(
        path: folder.displayPath,
        reason: "this is a library of iPhoto or Aperture; open it once in Photos to convert it")
    case .older(let name):
      throw .notALibrary(
        path: folder.displayPath,
        reason: "this is a library of \(name), which is not supported yet; a newer Photos can upgrade a copy of it")
    case .withoutDatabase:
      throw .notALibrary(
        path: folder.displayPath,
        reason: "its database (database/Photos.sqlite) is missing; copy the whole library again")
    }
    PrivateFolder.removeLeftovers(in: copyBases)
    return try Opening(files: DatabaseFiles(folder: folder), options: options, copyBases: copyBases).run()
  }
}

/// One opening of a library: in place when its log is empty, else from a private copy.
private struct Opening {
  let files: DatabaseFiles
  let options: LibraryOptions
  let copyBases: [String]

  private static let attempts = 3

  func run() throws(LibraryError) -> OpenedLibrary {
    for _ in 0..<Self.attempts {
      let revision = try files.revision()
      guard revision.database.size > 0 else {
        throw .unreadableDatabase(
          path: files.folder.displayPath, reason: "its database is an empty file; use a backup of the library")
      }
      if revision.log?.size ?? 0 <= WriteAheadLog.headerSize {
        let library = try load(try PhotosDatabase(inPlace: files, revision), [])
        // Photos may have begun to write in between.
        if try files.revision() == revision { return library }
      } else {
        let library: OpenedLibrary?
        do throws(LibraryError) { library = try openCopy() } catch {
          // What goes wrong while somebody writes is no sign of damage.
          if try files.revision() != revision { continue }
          guard let older = try? openWithoutLog(revision, after: error) else { throw error }
          return older
        }
        if let library { return library }
      }
    }
    throw .unreadableDatabase(
      path: files.folder.displayPath, reason: "Photos is busy writing to it; quit Photos or try again later")
  }

  /// `nil` when the copy was torn.
  private func openCopy() throws(LibraryError) -> OpenedLibrary? {
    switch try PrivateCopy.make(of: files, in: copyBases) {
    case .torn: return nil
    case .made(let database, lostChanges: false): return try load(database, [])
    case .made(let database, lostChanges: true):
      // SQLite takes a damaged log for one that ends before the damage.
      let library = try load(database, [Self.withoutLog], isOutdated: true)
      guard try Self.hasAssets(database) else {
        throw .unreadableDatabase(path: files.folder.displayPath, reason: "its write-ahead log is damaged")
      }
      return library
    }
  }

  /// A log that belongs to another generation of the database (libraries copied while Photos ran) makes it unreadable;
  /// the database alone is the library as it was some time ago. An empty one is not believed.
  private func openWithoutLog(
    _ revision: LibraryRevision, after error: LibraryError
  ) throws(LibraryError) -> OpenedLibrary? {
    switch error {
    case .unreadableDatabase, .notALibrary: break
    default: return nil
    }
    let database = try PhotosDatabase(inPlace: files, revision)
    let library = try load(database, [Self.withoutLog], isOutdated: true)
    guard try Self.hasAssets(database), try files.revision() == revision else { return nil }
    return library
  }

  private static let withoutLog =
    "the write-ahead log (Photos.sqlite-wal) is damaged or not of this database: the latest changes are missing; "
    + "copy the library again while Photos is closed"

  private static func hasAssets(_ database: PhotosDatabase) throws(LibraryError) -> Bool {
    let schema = try database.schema()
    return try database.read { (connection) throws(SQLiteError) in
      var statement = try connection.prepare("SELECT 1 FROM \(schema.assets.name) LIMIT 1")
      return try statement.step()
    }
  }

  private struct Metadata {
    let uuid: String?
    let version: ModelVersion?
  }

  private func load(
    _ database: PhotosDatabase, _ earlier: [String], isOutdated: Bool = false
  ) throws(LibraryError) -> OpenedLibrary {
    var warnings = earlier
    let metadata = try metadata(database)
    switch metadata.version {
    case .none: warnings.append("the library does not say which version of Photos wrote it; it is read as it looks")
    case .some(let version) where !version.isKnown:
      warnings.append(
        "the library was written by an unknown version of Photos (model \(version.number)); it is read as it looks")
    default: break
    }
    let schema = try database.schema()
    if schema.membership == nil {
      warnings.append("the table of album members is not found in this library: its albums cannot be opened")
    }
    let albums = try database.read { (connection) throws(SQLiteError) in
      try AlbumReader(schema: schema).read(connection)
    }
    let finder = RenditionFinder(
      folder: files.folder, keepsSharedAlbumsInScopes: metadata.version?.keepsSharedAlbumsInScopes ?? true)
    let snapshot = ApplePhotosSnapshot(
      database: database, queries: AssetQueries(schema: schema, includeHidden: options.includeHidden), finder: finder,
      references: ReferenceRoots(options.referenceRoots), libraryID: metadata.uuid, records: albums)
    let files = files
    return OpenedLibrary(
      snapshot: snapshot, warnings: warnings, isOutdated: isOutdated, revision: database.revision,
      currentRevision: { () throws(LibraryError) in try files.revision() })
  }

  private func metadata(_ database: PhotosDatabase) throws(LibraryError) -> Metadata {
    let rows = try database.read { (connection) throws(SQLiteError) -> Metadata? in
      var tables = try connection.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'Z_METADATA'")
      guard try tables.step() else { return nil }
      var statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1")
      guard try statement.step() else { return nil }
      return Metadata(
        uuid: statement.text(0).flatMap { $0.isEmpty ? nil : $0 },
        version: statement.bytes(1).flatMap { ModelVersion(propertyList: $0) })
    }
    guard let rows else {
      throw .notALibrary(
        path: files.folder.displayPath,
        reason: "its database has no Z_METADATA: an upgrade was not finished; open it once in Photos")
    }
    return rows
  }
}
