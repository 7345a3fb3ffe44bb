import SQLite
import Testing

@testable import PhotoLibrary

@Suite("The schema of a library")
struct SchemaTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "is found when the next release numbers the table of members anew",
    .enabled(if: Fixtures.areThere, Fixtures.absence))
  func renumbered() throws {
    // osxphotos 2165
    let before = try LibraryOpener.open(path: Fixtures.path("Test-15.4.1")).snapshot
    let path = try folder.copy("Test-15.4.1")
    do {
      let connection = try Connection(path: path + "/database/Photos.sqlite", mode: .readWrite)
      try connection.execute("ALTER TABLE Z_30ASSETS RENAME TO Z_31ASSETS")
      try connection.execute("ALTER TABLE Z_31ASSETS RENAME COLUMN Z_30ALBUMS TO Z_31ALBUMS")
      try connection.execute("ALTER TABLE Z_31ASSETS RENAME COLUMN Z_3ASSETS TO Z_4ASSETS")
      try connection.execute("ALTER TABLE Z_31ASSETS RENAME COLUMN Z_FOK_3ASSETS TO Z_FOK_4ASSETS")
      var plist = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?1")
      try plist.bind(Array("<plist><dict><key>PLModelVersion</key><integer>21500</integer></dict></plist>".utf8), at: 1)
      #expect(try plist.step() == false)
    }
    let after = try LibraryOpener.open(path: path)
    #expect(after.warnings.count == 1 && after.warnings[0].contains("21500"))
    #expect(after.snapshot.albums == before.albums)
    for album in before.albums {
      #expect(try after.snapshot.members(of: album.id).map(\.id) == before.members(of: album.id).map(\.id))
    }
    #expect(try before.albums.contains { try before.members(of: $0.id).count > 1 })
  }

  @Test("is not guessed when two tables could hold the members")
  func ambiguous() throws {
    let library = try SmallLibrary(in: folder)
    try library.addAlbum(2, "A")
    try library.run(
      "ALTER TABLE Z_30ASSETS RENAME TO Z_31ASSETS", "CREATE TABLE Z_32ASSETS (Z_32ALBUMS, Z_3ASSETS, Z_FOK_3ASSETS)")
    let opened = try library.open()
    #expect(opened.warnings.count == 1)
    #expect(throws: LibraryError.self) { try opened.snapshot.members(of: AlbumID("ALBUM-2")) }
  }

  @Test("that the entity numbers name wins over others of the same form")
  func named() throws {
    let library = try SmallLibrary(in: folder)
    try library.addAlbum(2, "A")
    try library.addAsset(1)
    try library.addMember(1, to: 2, order: 1)
    try library.run("CREATE TABLE Z_29ASSETS (Z_29ALBUMS, Z_3ASSETS, Z_FOK_3ASSETS)")
    let opened = try library.open()
    #expect(opened.warnings == [])
    #expect(try opened.snapshot.members(of: AlbumID("ALBUM-2")).count == 1)
  }

  @Test("may lack the tables and columns that only add to an asset")
  func reduced() throws {
    let library = try SmallLibrary(in: folder)
    try library.addAsset(1)
    try library.run("DROP TABLE ZINTERNALRESOURCE", "DROP TABLE ZADDITIONALASSETATTRIBUTES")
    for column in ["ZADJUSTMENTSSTATE", "ZADDEDDATE", "ZKINDSUBTYPE", "ZCOLLECTIONSHARE"] {
      try library.run("ALTER TABLE ZASSET DROP COLUMN \(column)")
    }
    let asset = try #require(try library.open().snapshot.mainView().first)
    #expect(asset.originalName == SmallLibrary.uuid(1) + ".jpeg")
  }

  @Test("is refused when hidden photos could not be told from others")
  func withoutHidden() throws {
    let library = try SmallLibrary(in: folder)
    try library.run("ALTER TABLE ZASSET DROP COLUMN ZHIDDEN")
    let error = try #require(throws: LibraryError.self) { try library.open() }
    #expect(error.description.contains("ZHIDDEN"))
  }

  @Test("cannot put a view or a virtual table in the place of a table")
  func hostile() throws {
    let library = try SmallLibrary(in: folder)
    try library.run("ALTER TABLE ZASSET RENAME TO ELSEWHERE", "CREATE VIEW ZASSET AS SELECT * FROM ELSEWHERE")
    #expect(throws: LibraryError.self) { try library.open() }
  }
}
