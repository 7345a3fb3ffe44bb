import Platform
import SQLite

/// Writes changes within a transaction.
struct CatalogWriter: ~Copyable {
  private let connection: Connection
  private var upsert: Statement
  private var delete: Statement
  private var deleteBelow: Statement
  private var move: Statement
  private var moveBelow: Statement

  /// In the way of an exchange; no file's path begins like this.
  private static let between = Array(".foldic/exchange".utf8)

  init(_ connection: Connection) throws(SQLiteError) {
    let upsert = try connection.prepare(
      """
      INSERT OR REPLACE INTO copy(path, asset, size, seconds, nanoseconds, hash, recorded)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    let delete = try connection.prepare("DELETE FROM copy WHERE path = ?")
    // Below "a/" and before "a0": '0' follows '/'.
    let deleteBelow = try connection.prepare("DELETE FROM copy WHERE path > ?1 AND path < ?2")
    let move = try connection.prepare("UPDATE OR REPLACE copy SET path = ?2 WHERE path = ?1")
    let moveBelow = try connection.prepare(
      """
      UPDATE OR REPLACE copy SET path = CAST(?3 || substr(path, ?4) AS BLOB) WHERE path > ?1 AND path < ?2
      """)
    self.connection = connection
    self.upsert = upsert
    self.delete = delete
    self.deleteBelow = deleteBelow
    self.move = move
    self.moveBelow = moveBelow
  }

  mutating func apply(_ change: CatalogChange) throws(SQLiteError) {
    switch change {
    case .recorded(let entry, _) where !Self.fits(entry.path): return
    case .moved(let old, let new) where !Self.fits(new): try remove(old.bytes)
    case .exchanged(let one, let other) where !Self.fits(one) || !Self.fits(other):
      try remove(one.bytes)
      try remove(other.bytes)
    case .recorded(let entry, let expectation):
      if let expectation {
        guard try holds(expectation, at: entry.path) else { return }
      }
      try record(entry)
    case .touched(let path, let size, let modified): try touch(path, size, modified)
    case .restated(let entry): try restate(entry)
    case .moved(let old, let new):
      guard old != new else { return }
      // A folder's new name may be that of a file that went: nothing of it may stay.
      try remove(new.bytes)
      try rename(old.bytes, new.bytes)
    case .exchanged(let one, let other):
      guard one != other else { return }
      try rename(one.bytes, Self.between)
      try rename(other.bytes, one.bytes)
      try rename(Self.between, other.bytes)
    case .removed(let path): try remove(path.bytes)
    }
  }

  /// Whether a path may be in the catalog: what goes to a trash leaves it.
  private static func fits(_ path: RelativePath) -> Bool {
    Catalog.isOrdinary(path) && path.bytes.count <= Catalog.longestPath
  }

  private mutating func record(_ entry: CatalogEntry) throws(SQLiteError) {
    try upsert.bind(entry.path.bytes, at: 1)
    try upsert.bind(entry.asset, at: 2)
    try upsert.bind(entry.size, at: 3)
    try upsert.bind(entry.modified.seconds, at: 4)
    try upsert.bind(Int64(entry.modified.nanoseconds), at: 5)
    try upsert.bind(entry.hash?.bytes, at: 6)
    try upsert.bind(entry.recorded, at: 7)
    try Self.run(&upsert)
  }

  private func touch(_ path: RelativePath, _ size: Int64, _ modified: Timestamp) throws(SQLiteError) {
    var statement = try connection.prepare(
      "UPDATE copy SET seconds = ?3, nanoseconds = ?4 WHERE path = ?1 AND size = ?2")
    try statement.bind(path.bytes, at: 1)
    try statement.bind(size, at: 2)
    try statement.bind(modified.seconds, at: 3)
    try statement.bind(Int64(modified.nanoseconds), at: 4)
    _ = try statement.step()
  }

  private func restate(_ entry: CatalogEntry) throws(SQLiteError) {
    var statement = try connection.prepare(
      "UPDATE copy SET size = ?2, seconds = ?3, nanoseconds = ?4 WHERE path = ?1 AND hash IS NULL")
    try statement.bind(entry.path.bytes, at: 1)
    try statement.bind(entry.size, at: 2)
    try statement.bind(entry.modified.seconds, at: 3)
    try statement.bind(Int64(entry.modified.nanoseconds), at: 4)
    _ = try statement.step()
  }

  private func holds(_ expectation: CatalogChange.Expectation, at path: RelativePath) throws(SQLiteError) -> Bool {
    var query = try connection.prepare("SELECT size, seconds, nanoseconds, hash, recorded FROM copy WHERE path = ?")
    try query.bind(path.bytes, at: 1)
    let isThere = try query.step()
    switch expectation {
    case .nothing: return !isThere
    case .row(let row):
      return isThere && query.int(0) == row.size && query.int(1) == row.modified.seconds
        && query.int(2) == Int64(row.modified.nanoseconds) && query.bytes(3) == row.hash?.bytes
        && query.int(4) == row.recorded
    }
  }

  private mutating func remove(_ path: [UInt8]) throws(SQLiteError) {
    try delete.bind(path, at: 1)
    try Self.run(&delete)
    try deleteBelow.bind(path + [0x2F], at: 1)
    try deleteBelow.bind(path + [0x30], at: 2)
    try Self.run(&deleteBelow)
  }

  private mutating func rename(_ old: [UInt8], _ new: [UInt8]) throws(SQLiteError) {
    try move.bind(old, at: 1)
    try move.bind(new, at: 2)
    try Self.run(&move)
    try moveBelow.bind(old + [0x2F], at: 1)
    try moveBelow.bind(old + [0x30], at: 2)
    try moveBelow.bind(new, at: 3)
    try moveBelow.bind(Int64(old.count + 1), at: 4)
    try Self.run(&moveBelow)
  }

  private static func run(_ statement: inout Statement) throws(SQLiteError) {
    defer { statement.reset() }
    while try statement.step() {}
  }
}
