import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

import Platform
import Testing

@testable import SQLite

/// A folder for one test, removed at the end of its life.
final class TemporaryFolder {
  let path: String
  private let name: FileName

  init() throws {
    let text = "foldicfs-sqlite-test-" + RandomID.hex(12)
    name = try #require(FileName(text))
    // Some systems have a link there, which SQLite is told not to follow.
    path = try AbsolutePath.resolve("/tmp") + "/" + text
    try Descriptor.open("/tmp", [.read, .directory]).makeDirectory(name, mode: 0o700)
  }

  deinit {
    guard let base = try? Descriptor.open("/tmp", [.read, .directory]),
      let folder = try? base.open(name, [.read, .directory])
    else { return }
    for name in self.names { if let name = FileName(name) { try? folder.removeFile(name) } }
    try? base.removeDirectory(name)
  }

  /// What is in it, sorted.
  var names: [String] {
    let entries = (try? Descriptor.open(path, [.read, .directory]).entries()) ?? []
    return entries.map(\.name.description).sorted()
  }
}

@Suite("A connection")
struct ConnectionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("gives back each kind of value as it was bound")
  func roundTrip() throws {
    let connection = try Connection(path: folder.path + "/a.sqlite", mode: .create)
    try connection.execute("CREATE TABLE t (i, d, s, b, n)")
    var insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5)")
    try insert.bind(Int64.min, at: 1)
    try insert.bind(0.5, at: 2)
    try insert.bind("Água", at: 3)
    try insert.bind([0, 255] as [UInt8], at: 4)
    try insert.bindNull(at: 5)
    #expect(try insert.step() == false)
    #expect(connection.lastInsertedRow == 1)
    #expect(connection.changedRows == 1)

    var select = try connection.prepare("SELECT i, d, s, b, n FROM t")
    #expect(try select.step())
    #expect(select.int(0) == .min)
    #expect(select.double(1) == 0.5)
    #expect(select.text(2) == "Água")
    #expect(select.bytes(3) == [0, 255])
    #expect(select.int(4) == nil && select.text(4) == nil && select.bytes(4) == nil)
    #expect(select.int(2) == nil, "text is no number")
    #expect(select.text(0) == nil, "a number is no text")
    #expect(try select.step() == false)
  }

  @Test("keeps empty text and empty blobs apart from NULL")
  func emptyValues() throws {
    let connection = try Connection(path: folder.path + "/a.sqlite", mode: .create)
    var select = try connection.prepare("SELECT ?1, ?2, ?1 IS NULL, ?2 IS NULL")
    try select.bind("", at: 1)
    try select.bind([], at: 2)
    #expect(try select.step())
    #expect(select.text(0) == "" && select.bytes(1) == [])
    #expect(select.int(2) == 0 && select.int(3) == 0)
  }

  @Test("repairs text that is no UTF-8 and keeps its bytes")
  func badText() throws {
    let connection = try Connection(path: folder.path + "/a.sqlite", mode: .create)
    var select = try connection.prepare("SELECT CAST(x'6261FFFE' AS TEXT)")
    #expect(try select.step())
    #expect(select.bytes(0) == [0x62, 0x61, 0xFF, 0xFE])
    #expect(select.text(0) == "ba\u{FFFD}\u{FFFD}")
  }

  @Test("tells the code, the words and the statement of an error")
  func errors() throws {
    let connection = try Connection(path: folder.path + "/a.sqlite", mode: .create)
    let error = try #require(throws: SQLiteError.self) { try connection.execute("SELECT * FROM nowhere") }
    #expect(error.primaryCode == SQLITE_ERROR)
    #expect(error.message.contains("nowhere"))
    #expect(error.sql == "SELECT * FROM nowhere")
    #expect(!error.isDamage)
  }

  @Test("keeps a transaction that returns and drops one that throws")
  func transactions() throws {
    let connection = try Connection(path: folder.path + "/a.sqlite", mode: .create)
    try connection.execute("CREATE TABLE t (i UNIQUE)")
    try connection.transaction { (connection) throws(SQLiteError) in try connection.execute("INSERT INTO t VALUES (1)")
    }
    #expect(throws: SQLiteError.self) {
      try connection.transaction { (connection) throws(SQLiteError) in
        try connection.execute("INSERT INTO t VALUES (2)")
        try connection.execute("INSERT INTO t VALUES (1)")
      }
    }
    var count = try connection.prepare("SELECT COUNT(*) FROM t")
    #expect(try count.step())
    #expect(count.int(0) == 1)
  }

  @Test("opens names that hold what a URI gives a meaning to", arguments: ["a?b", "a#b", "50%41", "ü &=", "a'b"])
  func awkwardNames(name: String) throws {
    let path = "\(folder.path)/\(name)"
    try Connection(path: path, mode: .create).execute("CREATE TABLE t (i)")
    #expect(folder.names == [name])
    try Connection(path: path, mode: .immutable).execute("SELECT * FROM t")
    #expect(folder.names == [name])
  }

  @Test("cannot change a database that it distrusts, nor run what its schema holds")
  func distrust() throws {
    let path = folder.path + "/a.sqlite"
    let writer = try Connection(path: path, mode: .create)
    try writer.execute("CREATE TABLE t (i)")
    try writer.execute("CREATE VIEW v AS SELECT i FROM t")
    let reader = try Connection(path: path, mode: .readWrite)
    try reader.distrust()
    #expect(throws: SQLiteError.self) { try reader.execute("INSERT INTO t VALUES (1)") }
    #expect(throws: SQLiteError.self) { try reader.execute("SELECT * FROM v") }
    try reader.execute("SELECT * FROM t")
  }

  @Test("refuses a symbolic link")
  func link() throws {
    try Connection(path: folder.path + "/a.sqlite", mode: .create).execute("CREATE TABLE t (i)")
    #expect(symlink(folder.path + "/a.sqlite", folder.path + "/link") == 0)
    #expect(throws: SQLiteError.self) {
      try Connection(path: folder.path + "/link", mode: .immutable).execute("SELECT * FROM t")
    }
  }

  @Test("calls a file that is no database damaged")
  func noDatabase() throws {
    let file = try Descriptor.open(folder.path + "/a.sqlite", [.write, .create])
    try file.write([UInt8](repeating: 0x41, count: 4096))
    let error = try #require(throws: SQLiteError.self) {
      try Connection(path: folder.path + "/a.sqlite", mode: .immutable).execute("SELECT * FROM sqlite_master")
    }
    #expect(error.isDamage)
  }
}
