import CSQLite

/// An open database; closed at the end of its life.
///
/// Not thread-safe: one thread at a time (see `ConnectionPool`). Every call may block on the disk.
public final class Connection {
  let handle: OpaquePointer

  /// How a database is opened.
  public enum Mode: Sendable {
    /// Reads a file that nobody changes, without a lock and without a side file; a write-ahead log is not looked at.
    case immutable
    /// Reads and writes a file that is there, with SQLite's own locks and side files.
    case readWrite
    /// As `readWrite`; makes the file when it is not there.
    case create
  }

  /// Opens the database at `path`, of which no component may be a symbolic link.
  public init(path: String, mode: Mode) throws(SQLiteError) {
    var flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
    var parameters: [String] = []
    switch mode {
    case .immutable:
      flags |= SQLITE_OPEN_READONLY
      parameters.append("immutable=1")
    case .readWrite: flags |= SQLITE_OPEN_READWRITE
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    guard !path.utf8.contains(0) else {
      throw SQLiteError(code: SQLITE_CANTOPEN, message: "the path holds a zero byte")
    }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(DatabaseURI.text(path: path, parameters: parameters), &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw SQLiteError(code: code, message: message)
    }
    handle = opened
  }

  deinit { sqlite3_close_v2(handle) }

  /// Prepares for a database that others wrote: nothing in its schema is run, cells are checked, sorting stays in memory.
  /// With `readOnly` no statement may change it.
  public func distrust(readOnly: Bool = true) throws(SQLiteError) {
    foldic_sqlite_distrust(handle)
    // The largest value that is read is a property list of a few kilobytes.
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 64 << 20)
    if readOnly { try execute("PRAGMA query_only=1") }
    for pragma in ["trusted_schema=0", "cell_size_check=1", "temp_store=MEMORY", "mmap_size=0"] {
      try execute("PRAGMA \(pragma)")
    }
  }

  /// Compiles one statement.
  public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code, sql) }
    return Statement(statement, of: self, sql: sql)
  }

  /// Runs one statement to its end, ignoring its rows.
  public func execute(_ sql: String) throws(SQLiteError) {
    var statement = try prepare(sql)
    while try statement.step() {}
  }

  /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
  public func transaction<R>(_ body: (Connection) throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    try execute("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      let result = try body(self)
      try execute("COMMIT")
      return result
    } catch {
      // After some errors SQLite has rolled back by itself; the first error is the one to tell.
      if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Whether nothing can be written: right after opening since the file may not be, later also since its header says so.
  public var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// The rowid of the last row that an INSERT made.
  public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The rows that the last INSERT, UPDATE or DELETE touched.
  public var changedRows: Int { Int(sqlite3_changes64(handle)) }

  func error(_ code: Int32, _ sql: String) -> SQLiteError {
    SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql)
  }
}
