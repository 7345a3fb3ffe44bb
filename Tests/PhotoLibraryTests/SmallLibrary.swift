import SQLite

@testable import PhotoLibrary

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A library of a few rows, made of SQL, for tests that need no sample.
struct SmallLibrary {
  let path: String
  let connection: Connection

  /// The database is in WAL mode when `log` is true; then its rows stay in the log while `connection` is open.
  init(in folder: TemporaryFolder, name: String = "Small", model: Int = 18_508, log: Bool = false) throws {
    path = "\(folder.path)/\(name).photoslibrary"
    try FileManager.default.createDirectory(atPath: path + "/database", withIntermediateDirectories: true)
    connection = try Connection(path: path + "/database/Photos.sqlite", mode: .create)
    if log {
      try connection.execute("PRAGMA journal_mode=WAL")
      try connection.execute("PRAGMA wal_autocheckpoint=0")
    }
    for table in Self.tables { try connection.execute(table) }
    try run(
      "INSERT INTO Z_PRIMARYKEY VALUES (3, 'Asset'), (30, 'Album')",
      "INSERT INTO Z_METADATA VALUES (1, 'LIBRARY-ID', NULL)",
      "INSERT INTO ZGENERICALBUM (Z_PK, ZKIND) VALUES (1, 3999)")
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    var update = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?1")
    try update.bind([UInt8](try encoder.encode(["PLModelVersion": model])), at: 1)
    _ = try update.step()
  }

  func run(_ statements: String...) throws {
    for sql in statements { try connection.execute(sql) }
  }

  /// An asset with its file; the file's content is its identifier.
  func addAsset(_ key: Int, columns: String = "ZKIND", values: String = "0") throws {
    let uuid = Self.uuid(key)
    try run(
      """
      INSERT INTO ZASSET (Z_PK, ZUUID, ZDIRECTORY, ZFILENAME, ZTRASHEDSTATE, ZHIDDEN, ZVISIBILITYSTATE, \(columns))
      VALUES (\(key), '\(uuid)', '0', '\(uuid).jpeg', 0, 0, 0, \(values))
      """,
      "INSERT INTO ZADDITIONALASSETATTRIBUTES (ZASSET, ZORIGINALFILENAME) VALUES (\(key), 'IMG_\(key).JPG')",
      "INSERT INTO ZINTERNALRESOURCE VALUES (NULL, \(key), 0, 1, 0, 36, 1, 0)")
    try write(Array(uuid.utf8), to: "\(path)/originals/0/\(uuid).jpeg")
  }

  func addAlbum(_ key: Int, _ title: String?, kind: Int = 2, parent: Int? = 1, sort: (key: Int, up: Int) = (0, 1))
    throws
  {
    let title = title.map { "'\($0)'" } ?? "NULL"
    try run(
      """
      INSERT INTO ZGENERICALBUM (Z_PK, ZUUID, ZTITLE, ZKIND, ZPARENTFOLDER, ZCUSTOMSORTKEY, ZCUSTOMSORTASCENDING,
      ZTRASHEDSTATE, ZCACHEDCOUNT) VALUES (\(key), 'ALBUM-\(key)', \(title), \(kind), \(parent.map(String.init) ?? "NULL"),
      \(sort.key), \(sort.up), 0, 0)
      """)
  }

  func addMember(_ asset: Int, to album: Int, order: Int?) throws {
    try run("INSERT INTO Z_30ASSETS VALUES (\(album), \(asset), \(order.map(String.init) ?? "NULL"))")
  }

  func open(_ options: LibraryOptions = LibraryOptions()) throws -> OpenedLibrary {
    try LibraryOpener.open(path: path, options: options)
  }

  static func uuid(_ key: Int) -> String { "0000000A-0000-0000-0000-" + String(1_000_000_000_000 + key).dropFirst() }

  private static let tables = [
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR)",
    """
    CREATE TABLE ZGENERICALBUM (Z_PK INTEGER PRIMARY KEY, ZUUID VARCHAR, ZTITLE VARCHAR, ZKIND INTEGER,
    ZPARENTFOLDER INTEGER, ZCUSTOMSORTKEY INTEGER, ZCUSTOMSORTASCENDING INTEGER, ZTRASHEDSTATE INTEGER,
    ZCACHEDCOUNT INTEGER, ZCREATIONDATE TIMESTAMP)
    """,
    """
    CREATE TABLE ZASSET (Z_PK INTEGER PRIMARY KEY, ZUUID VARCHAR, ZKIND INTEGER, ZKINDSUBTYPE INTEGER,
    ZDIRECTORY VARCHAR, ZFILENAME VARCHAR, ZDATECREATED TIMESTAMP, ZADDEDDATE TIMESTAMP, ZTRASHEDSTATE INTEGER,
    ZHIDDEN INTEGER, ZVISIBILITYSTATE INTEGER, ZFAVORITE INTEGER, ZSAVEDASSETTYPE INTEGER, ZCLOUDBATCHPUBLISHDATE TIMESTAMP,
    ZADJUSTMENTSSTATE INTEGER, ZCOLLECTIONSHARE INTEGER, ZUNIFORMTYPEIDENTIFIER VARCHAR)
    """,
    """
    CREATE TABLE ZADDITIONALASSETATTRIBUTES (Z_PK INTEGER PRIMARY KEY, ZASSET INTEGER, ZORIGINALFILENAME VARCHAR,
    ZORIGINALFILESIZE INTEGER, ZTITLE VARCHAR, ZTIMEZONEOFFSET INTEGER)
    """,
    "CREATE INDEX ATTRIBUTES ON ZADDITIONALASSETATTRIBUTES (ZASSET)",
    """
    CREATE TABLE ZINTERNALRESOURCE (Z_PK INTEGER PRIMARY KEY, ZASSET INTEGER, ZRESOURCETYPE INTEGER,
    ZDATASTORESUBTYPE INTEGER, ZVERSION INTEGER, ZDATALENGTH INTEGER, ZLOCALAVAILABILITY INTEGER,
    ZREMOTEAVAILABILITY INTEGER)
    """,
    "CREATE INDEX RESOURCES ON ZINTERNALRESOURCE (ZASSET)",
    "CREATE TABLE Z_30ASSETS (Z_30ALBUMS INTEGER, Z_3ASSETS INTEGER, Z_FOK_3ASSETS INTEGER)",
  ]
}
