import Platform
import SQLite
import Testing

@testable import PhotoLibrary

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Opening a library")
struct OpeningTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The one line for the user.
  private func refusal(_ path: String) throws -> String {
    try #require(throws: LibraryError.self) { try LibraryOpener.open(path: path) }.description
  }

  private func bundle(_ files: [String: String]) throws -> String {
    let path = folder.path + "/Some.photoslibrary"
    for (name, text) in files { try write(Array(text.utf8), to: "\(path)/\(name)") }
    return path
  }

  // MARK: - What is no library

  @Test("tells a path that is not there from a file and from another folder")
  func noLibrary() throws {
    #expect(try refusal(folder.path + "/none").contains("No such file"))
    try write([], to: folder.path + "/file.photoslibrary")
    #expect(try refusal(folder.path + "/file.photoslibrary").contains("a photo library is a folder"))
    #expect(try refusal(folder.path).contains("no photo library"))
    #expect(try refusal("bad\0name").contains("cannot open the library"))
  }

  @Test("names older programs")
  func olderPrograms() throws {
    #expect(try refusal(bundle(["AlbumData.xml": ""])).contains("iPhoto"))
    try remove(folder.path + "/Some.photoslibrary")
    #expect(try refusal(bundle(["database/photos.db": "x"])).contains("Photos 2, 3 or 4"))
    let plist = "<plist version=\"1.0\"><dict><key>LibrarySchemaVersion</key><integer>3301</integer></dict></plist>"
    #expect(try refusal(bundle(["database/DataModelVersion.plist": plist])).contains("Photos 3 (macOS 10.13)"))
  }

  @Test("names a real library of Photos 4 and leaves it alone", .enabled(if: Fixtures.areThere, Fixtures.absence))
  func photos4() throws {
    let before = try BundleState(Fixtures.path("Test-10.14.6"))
    #expect(try refusal(Fixtures.path("Test-10.14.6")).contains("Photos 4 (macOS 10.14), which is not supported yet"))
    #expect(try BundleState(Fixtures.path("Test-10.14.6")) == before)
  }

  @Test("says when the database is missing, empty, a folder or no database")
  func noDatabase() throws {
    let path = try bundle(["originals/0/x": "", "database/protection": ""])
    #expect(try refusal(path).contains("missing"))
    try write([], to: path + "/database/Photos.sqlite")
    #expect(try refusal(path).contains("empty file"))
    try write([UInt8](repeating: 0x20, count: 9000), to: path + "/database/Photos.sqlite")
    #expect(try refusal(path).contains("damaged"))
    try remove(path + "/database/Photos.sqlite")
    try write([], to: path + "/database/Photos.sqlite/x")
    #expect(try refusal(path).contains("not an ordinary file"))
  }

  @Test("does not follow a link in the place of the database, its folder or its log")
  func links() throws {
    let library = try SmallLibrary(in: folder)
    try library.addAlbum(2, "A")
    #expect(try library.open().snapshot.albums.count == 1)
    let manager = FileManager.default
    let database = library.path + "/database/Photos.sqlite"
    try manager.moveItem(atPath: database, toPath: folder.path + "/outside.sqlite")
    try manager.createSymbolicLink(atPath: database, withDestinationPath: folder.path + "/outside.sqlite")
    #expect(throws: LibraryError.self) { try library.open() }
    try remove(database)
    try manager.moveItem(atPath: folder.path + "/outside.sqlite", toPath: database)
    try manager.createSymbolicLink(atPath: database + "-wal", withDestinationPath: database)
    #expect(throws: LibraryError.self) { try library.open() }
    try remove(database + "-wal")
    try manager.moveItem(atPath: library.path + "/database", toPath: folder.path + "/database")
    try manager.createSymbolicLink(atPath: library.path + "/database", withDestinationPath: folder.path + "/database")
    #expect(throws: LibraryError.self) { try library.open() }
  }

  @Test("says when an upgrade was not finished")
  func halfUpgraded() throws {
    // osxphotos 1343
    let library = try SmallLibrary(in: folder)
    try library.run("DROP TABLE Z_METADATA")
    #expect(try refusal(library.path).contains("upgrade was not finished"))
  }

  @Test("names what an unknown form lacks", arguments: ["ZGENERICALBUM", "ZASSET"])
  func unknownForm(table: String) throws {
    let library = try SmallLibrary(in: folder)
    try library.run("DROP TABLE \(table)")
    #expect(try refusal(library.path).contains(table))
  }

  @Test("goes on with a warning when the version is unknown", arguments: [12, 21_000])
  func unknownVersion(model: Int) throws {
    let library = try SmallLibrary(in: folder, model: model)
    let warnings = try library.open().warnings
    #expect(warnings.count == 1 && warnings[0].contains("\(model)"))
  }

  @Test("of a damaged or truncated database ends with an error or what is whole", arguments: 0..<12)
  func damaged(round: Int) throws {
    let library = try SmallLibrary(in: folder)
    for key in 2..<200 { try library.addAlbum(key, "Album number \(key)") }
    let path = library.path + "/database/Photos.sqlite"
    var bytes = try contents(path)
    if round < 6 {
      bytes.removeLast(bytes.count * (round + 1) / 7)
    } else {
      let start = 4096 * (round - 6)
      bytes.replaceSubrange(start..<(start + 4096), with: [UInt8](repeating: UInt8(round), count: 4096))
    }
    try write(bytes, to: path)
    do throws(LibraryError) {
      // A page that no query needs may be damaged.
      let snapshot = try LibraryOpener.open(path: library.path).snapshot
      #expect(snapshot.albums.count == 198)
      _ = try? snapshot.mainView()
    } catch {
      #expect(error.description.contains(library.path))
      #expect(!error.description.contains("\n"))
    }
  }

  // MARK: - What a library says of itself

  @Test("gives the title, the identity and a revision that follows changes")
  func identity() throws {
    let library = try SmallLibrary(in: folder, name: "Our Photos")
    let opened = try library.open()
    #expect(opened.snapshot.title == "Our Photos")
    #expect(opened.snapshot.libraryID == "LIBRARY-ID")
    #expect(try opened.currentRevision() == opened.revision)
    try library.addAlbum(2, "New")
    #expect(try opened.currentRevision() != opened.revision)
    #expect(try library.open().snapshot.albums.count == 1)
  }

  @Test("in place refuses to mix two ages of a database that changes meanwhile")
  func changedWhileOpen() throws {
    let library = try SmallLibrary(in: folder)
    try library.addAsset(1)
    let snapshot = try library.open().snapshot
    #expect(try snapshot.mainView().count == 1)
    try library.addAsset(2)
    let error = try #require(throws: LibraryError.self) { try snapshot.mainView() }
    #expect(error.description.contains("changed"))
  }

  @Test("works where nothing may be written, and changes nothing", .enabled(if: Fixtures.areThere, Fixtures.absence))
  func readOnly() throws {
    let path = try folder.copy("Test-13.0.0")
    let manager = FileManager.default
    for name in [path, path + "/database"] { try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: name) }
    defer {
      for name in [path, path + "/database"] {
        try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: name)
      }
    }
    let before = try BundleState(path)
    let snapshot = try LibraryOpener.open(path: path).snapshot
    #expect(try snapshot.mainView().count > 10)
    #expect(try BundleState(path) == before)
  }
}
