import Platform
import SQLite

/// The tables of `.foldic/catalog.sqlite`.
enum CatalogSchema {
  /// "fold": what tells our file from others (PRAGMA application_id).
  static let application: Int64 = 0x666F_6C64
  static let version: Int64 = 1

  /// The key is the path as bytes, so that rows lie in the order in which `FolderWalk` goes, and a folder's together.
  static let statements = [
    """
    CREATE TABLE copy (path BLOB PRIMARY KEY NOT NULL, asset TEXT, size INTEGER NOT NULL, seconds INTEGER NOT NULL, \
    nanoseconds INTEGER NOT NULL, hash BLOB, recorded INTEGER NOT NULL) WITHOUT ROWID
    """,
    "CREATE INDEX copyByAsset ON copy(asset) WHERE asset IS NOT NULL",
    "CREATE TABLE mark (id TEXT NOT NULL)",
  ]

  /// Makes the tables in an empty database.
  static func create(in connection: Connection) throws(SQLiteError) {
    try connection.transaction { (connection) throws(SQLiteError) in
      for statement in statements { try connection.execute(statement) }
      var mark = try connection.prepare("INSERT INTO mark(id) VALUES (?)")
      try mark.bind(RandomID.hex(32), at: 1)
      _ = try mark.step()
      try connection.execute("PRAGMA application_id=\(application)")
      try connection.execute("PRAGMA user_version=\(version)")
    }
  }

  /// Whether the database has nothing in it.
  static func isEmpty(_ connection: Connection) throws(SQLiteError) -> Bool {
    try number("SELECT count(*) FROM sqlite_master", connection) == 0
  }

  /// What is wrong with the schema of somebody's database; `nil` when it is exactly ours.
  static func fault(in connection: Connection) throws(SQLiteError) -> String? {
    guard try number("PRAGMA application_id", connection) == application else { return "it is no catalog" }
    let found = try number("PRAGMA user_version", connection)
    guard found == version else { return "it has the format \(found ?? 0), not \(version)" }
    var query = try connection.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    var texts: Set<String> = []
    while try query.step() {
      guard texts.count <= statements.count else { break }
      texts.insert(query.text(0) ?? "")
    }
    return texts == Set(statements) ? nil : "its tables are not ours"
  }

  static func number(_ sql: String, _ connection: Connection) throws(SQLiteError) -> Int64? {
    var query = try connection.prepare(sql)
    return try query.step() ? query.int(0) : nil
  }
}
