import Platform
import SQLite
import Synchronization
import Testing

@testable import PhotoLibrary

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Tells another task to stop.
private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}

@Suite("A library with pending changes")
struct PrivateCopyTests {
  private let folder: TemporaryFolder
  private let library: SmallLibrary

  init() throws {
    folder = try TemporaryFolder()
    library = try SmallLibrary(in: folder, log: true)
    try library.addAlbum(2, "In the log")
    try library.addAsset(1)
    try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: false)
  }

  /// Where private copies are made.
  private var copies: String { folder.path + "/copies" }
  private var log: String { library.path + "/database/Photos.sqlite-wal" }

  private func open() throws -> OpenedLibrary {
    let opened = try ApplePhotosSource.open(
      LibraryFolder(path: library.path), options: LibraryOptions(), copyBases: [copies])
    return try #require(opened)
  }

  private var leftovers: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: copies).sorted() }
  }

  @Test("shows them, leaves no copy under a name and changes nothing in the bundle")
  func pending() throws {
    let before = try BundleState(library.path)
    #expect(try contents(log).count > 10_000)
    let opened = try open()
    #expect(opened.snapshot.albums.map(\.title) == ["In the log"])
    #expect(try opened.snapshot.mainView().map(\.number) == [1])
    #expect(opened.warnings == [] && !opened.isOutdated)
    #expect(try leftovers == [], "a process that is killed now leaves nothing behind")
    #expect(try BundleState(library.path) == before)
    #expect(try opened.currentRevision() == opened.revision)
  }

  @Test("stays as it was opened when the library changes")
  func snapshot() throws {
    let opened = try open()
    try library.addAsset(2)
    #expect(try opened.snapshot.mainView().map(\.number) == [1])
    #expect(try opened.currentRevision() != opened.revision)
    #expect(try open().snapshot.mainView().map(\.number) == [1, 2])
  }

  @Test("is read without the log, with a warning, when the log is damaged", arguments: [0, 13, 26])
  func damagedLog(position: Int) throws {
    try library.run("PRAGMA wal_checkpoint(TRUNCATE)")
    try library.addAlbum(3, "Later")
    var bytes = try contents(log)
    bytes[position] ^= 0x55
    try write(bytes, to: log)
    let opened = try open()
    #expect(opened.snapshot.albums.map(\.title) == ["In the log"])
    #expect(opened.isOutdated && opened.warnings.count == 1)
  }

  @Test("says that the latest are missing when the log is damaged in its middle")
  func damagedMiddle() throws {
    let whole = try contents(log).count
    try library.addAlbum(3, "Later")
    try library.addAlbum(4, "Latest")
    var bytes = try contents(log)
    bytes[whole + 24 + 100] ^= 0x55
    try write(bytes, to: log)
    let opened = try open()
    #expect(opened.snapshot.albums.map(\.title) == ["In the log"])
    #expect(opened.isOutdated && opened.warnings.count == 1)
  }

  @Test("is whole whenever it is opened, however busy the writer", .timeLimit(.minutes(2)))
  func busyWriter() async throws {
    let path = library.path
    let copies = copies
    let isDone = Flag()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // Each transaction adds one album and one asset, spread over the file by the text between them.
        let writer = try Connection(path: path + "/database/Photos.sqlite", mode: .readWrite)
        var key = 100
        while !isDone.isSet {
          key += 1
          try writer.transaction { (connection) throws(SQLiteError) in
            try connection.execute(
              "INSERT INTO ZGENERICALBUM (Z_PK, ZUUID, ZKIND, ZTRASHEDSTATE, ZTITLE) VALUES (\(key), 'A\(key)', 2, 0, hex(zeroblob(3000)))"
            )
            try connection.execute(
              "INSERT INTO ZASSET (Z_PK, ZUUID, ZKIND, ZTRASHEDSTATE, ZHIDDEN, ZVISIBILITYSTATE) VALUES (\(key), 'U', 0, 0, 0, 0)"
            )
          }
          if key % 5 == 0 { try writer.execute("PRAGMA wal_checkpoint(RESTART)") }
        }
      }
      group.addTask {
        defer { isDone.set() }
        for _ in 0..<40 {
          do {
            let opened = try ApplePhotosSource.open(
              LibraryFolder(path: path), options: LibraryOptions(), copyBases: [copies])
            let snapshot = try #require(opened).snapshot
            // The albums and assets that the test began with are one each.
            #expect(try snapshot.mainView(page: 1000).count == snapshot.albums.count)
            #expect(opened?.isOutdated == false)
          } catch let error as LibraryError {
            #expect(error.description.contains("Photos is busy"))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try open().snapshot.albums.count > 1, "once the writer rests it opens")
  }

  @Test("is refused when all that there is lies in a damaged log")
  func damagedWhole() throws {
    var bytes = try contents(log)
    bytes[0] ^= 0x55
    try write(bytes, to: log)
    #expect(throws: LibraryError.self) { try open() }
    #expect(try leftovers == [])
  }

  @Test("ends at the last whole transaction when the log is cut off")
  func truncatedLog() throws {
    let whole = try contents(log).count
    try library.addAlbum(3, "Cut off")
    let file = try Descriptor.open(log, .write)
    try file.truncate(to: Int64(whole + 100))
    #expect(try open().snapshot.albums.map(\.title) == ["In the log"])
  }

  @Test("with a log of another generation is no empty library", .enabled(if: Fixtures.areThere, Fixtures.absence))
  func foreignLog() throws {
    let path = try folder.copy("Test-15.4.1")
    try write(
      try contents(Fixtures.path("Test-10.15.7") + "/database/Photos.sqlite-wal"),
      to: path + "/database/Photos.sqlite-wal")
    do {
      let opened = try LibraryOpener.open(path: path)
      #expect(opened.isOutdated && !opened.warnings.isEmpty)
      #expect(opened.snapshot.albums.count > 5)
    } catch {
      #expect(error.description.contains(path))
    }
  }

  @Test("does not wait for a writer, and never takes a copy that may be torn")
  func torn() throws {
    let files = DatabaseFiles(folder: try LibraryFolder(path: library.path))
    let before = try files.revision()
    try library.addAlbum(3, "Appended")
    #expect(PrivateCopy.isConsistent(before, try files.revision()), "frames that were only added do no harm")
    try library.run("PRAGMA wal_checkpoint(RESTART)")
    try library.addAlbum(4, "In a new log")
    #expect(!PrivateCopy.isConsistent(before, try files.revision()), "the log began anew")
    try library.run("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(!PrivateCopy.isConsistent(before, try files.revision()), "the log shrank")
  }

  @Test("says where it could not be copied to")
  func noPlace() throws {
    let error = try #require(throws: LibraryError.self) {
      try ApplePhotosSource.open(
        LibraryFolder(path: library.path), options: LibraryOptions(), copyBases: [folder.path + "/none"])
    }
    #expect(error.description.contains("TMPDIR"))
    let huge = try #require(throws: FileError.self) { try PrivateFolder.make(for: .max, in: [copies]) }
    #expect(huge.errno == .noSpace)
    #expect(try leftovers == [])
  }

  // MARK: - Private folders

  @Test("is copied to a folder that only its user may open, and that goes with its owner")
  func privateFolder() throws {
    do {
      let made = try PrivateFolder.make(for: 1, in: [copies])
      #expect(try made.descriptor.status().mode & 0o777 == 0o700)
      #expect(try leftovers.count == 1)
      try write([1], to: made.path + "/Photos.sqlite")
    }
    #expect(try leftovers == [])
  }

  @Test("removes the copies of processes that were killed, not those of living ones or of others' making")
  func leftBehind() throws {
    try write([1], to: copies + "/foldicfs-library-dead/Photos.sqlite")
    try write([], to: copies + "/foldicfs-library-dead/lock")
    try write([1], to: copies + "/other/Photos.sqlite")
    // Just made and not locked yet.
    try FileManager.default.createDirectory(
      atPath: copies + "/foldicfs-library-new", withIntermediateDirectories: false)
    let living = try PrivateFolder.make(for: 1, in: [copies])
    _ = try open()
    let name = try #require(living.path.split(separator: "/").last.map(String.init))
    #expect(try leftovers == [name, "foldicfs-library-new", "other"].sorted())
  }
}
