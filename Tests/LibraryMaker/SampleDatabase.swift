import CSQLite

/// The one connection that fills a sample's database.
final class SampleDatabase {
  private var handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
  }

  init(creating path: String) throws(LibraryMakerError) {
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK else {
      throw failure("create the database")
    }
    // The frames stay in the log until a checkpoint is asked for.
    try run(
      "PRAGMA auto_vacuum = 2; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0")
  }

  /// Runs statements without values.
  func run(_ sql: String) throws(LibraryMakerError) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// Moves the log's frames into the database and empties it.
  func checkpoint() throws(LibraryMakerError) {
    guard sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK else {
      throw failure("checkpoint")
    }
  }

  /// Adds one row.
  func insert(into table: String, _ row: [(column: String, value: Value)]) throws(LibraryMakerError) {
    let columns = row.map(\.column).joined(separator: ", ")
    let marks = row.map { _ in "?" }.joined(separator: ", ")
    let statement = try prepared("INSERT INTO \(table) (\(columns)) VALUES (\(marks))")
    for (index, entry) in row.enumerated() {
      let position = Int32(index + 1)
      let result =
        switch entry.value {
        case .null: sqlite3_bind_null(statement, position)
        case .integer(let value): sqlite3_bind_int64(statement, position, value)
        case .real(let value): sqlite3_bind_double(statement, position, value)
        case .text(let value): bind(Array(value.utf8), as: sqlite3_bind_text, statement, position)
        case .blob(let value): bind(value, as: sqlite3_bind_blob, statement, position)
        }
      guard result == SQLITE_OK else { throw failure("bind \(entry.column)") }
    }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw failure("insert into \(table)") }
    sqlite3_reset(statement)
  }

  /// Closes; SQLite then checkpoints what is in the log and removes it.
  func close() {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    sqlite3_close_v2(handle)
    handle = nil
  }

  deinit { close() }

  private func prepared(_ sql: String) throws(LibraryMakerError) -> OpaquePointer? {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    statements[sql] = statement
    return statement
  }

  // SQLITE_TRANSIENT: the value is copied before the call returns.
  private static var copied: sqlite3_destructor_type? { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

  private func bind(
    _ bytes: [UInt8],
    as call: (OpaquePointer?, Int32, UnsafePointer<CChar>?, Int32, sqlite3_destructor_type?) -> Int32,
    _ statement: OpaquePointer?, _ position: Int32
  ) -> Int32 {
    bytes.isEmpty
      ? call(statement, position, "", 0, Self.copied)
      : bytes.withUnsafeBytes {
        call(
          statement, position, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), Self.copied)
      }
  }

  private func bind(
    _ bytes: [UInt8], as call: (OpaquePointer?, Int32, UnsafeRawPointer?, Int32, sqlite3_destructor_type?) -> Int32,
    _ statement: OpaquePointer?, _ position: Int32
  ) -> Int32 {
    bytes.withUnsafeBytes { call(statement, position, $0.baseAddress, Int32(bytes.count), Self.copied) }
  }

  private func failure(_ action: String) -> LibraryMakerError {
    LibraryMakerError("sample database: \(action): \(String(cString: sqlite3_errmsg(handle)))")
  }
}
