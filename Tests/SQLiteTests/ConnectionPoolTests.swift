#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

import Synchronization
import Testing

@testable import SQLite

@Suite("A pool of connections")
struct ConnectionPoolTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/a.sqlite"
    let writer = try Connection(path: path, mode: .create)
    try writer.execute("CREATE TABLE t (i)")
    try writer.execute("INSERT INTO t VALUES (7)")
  }

  private static func read(_ pool: ConnectionPool) throws -> Int64? {
    try pool.withConnection { (connection) throws(SQLiteError) in
      var statement = try connection.prepare("SELECT i FROM t")
      return try statement.step() ? statement.int(0) : nil
    }
  }

  @Test("still reads when the file has lost its name")
  func unlinked() throws {
    let pool = try ConnectionPool(immutable: path, count: 3)
    #expect(unlink(path) == 0)
    for _ in 0..<9 { #expect(try Self.read(pool) == 7) }
  }

  @Test("serves another caller while one holds a connection")
  func concurrent() throws {
    let pool = try ConnectionPool(immutable: path, count: 2)
    let inner = Mutex<Int64?>(nil)
    try pool.withConnection { (_) throws(SQLiteError) in
      // On the same thread this would never return if the one connection that is in use were waited for.
      let value = try pool.withConnection { (connection) throws(SQLiteError) in
        var statement = try connection.prepare("SELECT i FROM t")
        return try statement.step() ? statement.int(0) : nil
      }
      inner.withLock { $0 = value }
    }
    #expect(inner.withLock(\.self) == 7)
  }

  @Test("gives the same answer to many threads at once")
  func manyThreads() async throws {
    let pool = try ConnectionPool(immutable: path, count: 2)
    let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
      for _ in 0..<50 { group.addTask { try Self.read(pool) ?? 0 } }
      return try await group.reduce(0, +)
    }
    #expect(sum == 350)
  }

  @Test("passes on what the body throws")
  func throwing() throws {
    let pool = try ConnectionPool(immutable: path, count: 1)
    #expect(throws: SQLiteError.self) {
      try pool.withConnection { (connection) throws(SQLiteError) in try connection.execute("nonsense") }
    }
    #expect(try Self.read(pool) == 7)
  }
}
