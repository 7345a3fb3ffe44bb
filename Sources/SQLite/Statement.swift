import CSQLite

/// A prepared statement. Parameters count from 1, columns from 0. Not thread-safe, like its connection.
public struct Statement: ~Copyable {
  private let handle: OpaquePointer
  private let connection: Connection
  private let sql: String

  init(_ handle: OpaquePointer, of connection: Connection, sql: String) {
    self.handle = handle
    self.connection = connection
    self.sql = sql
  }

  deinit { sqlite3_finalize(handle) }

  // MARK: - Running

  /// Goes to the next row; false at the end.
  public mutating func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw connection.error(code, sql)
    }
  }

  /// Makes it ready to run again; the bound values stay.
  public mutating func reset() {
    // The code repeats the error of the last step, which was thrown then.
    sqlite3_reset(handle)
  }

  // MARK: - Parameters

  /// Binds a whole number, or NULL.
  public mutating func bind(_ value: Int64?, at index: Int) throws(SQLiteError) {
    guard let value else { return try bindNull(at: index) }
    try check(sqlite3_bind_int64(handle, Int32(clamping: index), value))
  }

  /// Binds a floating number.
  public mutating func bind(_ value: Double, at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_double(handle, Int32(clamping: index), value))
  }

  /// Binds text, or NULL.
  public mutating func bind(_ value: String?, at index: Int) throws(SQLiteError) {
    guard var value else { return try bindNull(at: index) }
    let code = value.withUTF8 { bytes in
      // An empty buffer may have no address, and none would bind NULL.
      guard let base = bytes.baseAddress else { return foldic_sqlite_bind_text(handle, Int32(clamping: index), "", 0) }
      return foldic_sqlite_bind_text(handle, Int32(clamping: index), base, Int32(clamping: bytes.count))
    }
    try check(code)
  }

  /// Binds bytes as a blob, or NULL.
  public mutating func bind(_ value: [UInt8]?, at index: Int) throws(SQLiteError) {
    guard let value else { return try bindNull(at: index) }
    let code = value.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return foldic_sqlite_bind_blob(handle, Int32(clamping: index), "", 0) }
      return foldic_sqlite_bind_blob(handle, Int32(clamping: index), base, Int32(clamping: bytes.count))
    }
    try check(code)
  }

  /// Binds NULL.
  public mutating func bindNull(at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_null(handle, Int32(clamping: index)))
  }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw connection.error(code, sql) }
  }

  // MARK: - Columns of the current row

  /// The number of columns.
  public var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// A number as a whole one, cut to the range of 64 bits; `nil` for NULL, text and blobs.
  public func int(_ column: Int) -> Int64? {
    isNumber(column) ? sqlite3_column_int64(handle, Int32(clamping: column)) : nil
  }

  /// A number as a floating one; `nil` for NULL, text and blobs.
  public func double(_ column: Int) -> Double? {
    isNumber(column) ? sqlite3_column_double(handle, Int32(clamping: column)) : nil
  }

  /// Text or a blob as the bytes that are stored; `nil` for NULL and numbers.
  public func bytes(_ column: Int) -> [UInt8]? {
    let column = Int32(clamping: column)
    switch sqlite3_column_type(handle, column) {
    case SQLITE_TEXT, SQLITE_BLOB:
      guard let base = sqlite3_column_blob(handle, column) else { return [] }
      return Array(UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column))))
    default: return nil
    }
  }

  /// Text with bad UTF-8 repaired; `nil` for NULL and numbers.
  public func text(_ column: Int) -> String? { bytes(column).map { String(decoding: $0, as: UTF8.self) } }

  private func isNumber(_ column: Int) -> Bool {
    let type = sqlite3_column_type(handle, Int32(clamping: column))
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT
  }
}
