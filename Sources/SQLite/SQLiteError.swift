import CSQLite
import Platform

/// What SQLite said when a call failed.
public struct SQLiteError: Error, Hashable, Sendable {
  /// The extended result code (sqlite.org/rescode.html).
  public let code: Int32
  /// SQLite's own words; may quote text of the database.
  public let message: String
  /// The statement that was prepared or run; empty for opening and closing.
  public let sql: String

  /// Describes a failed call.
  public init(code: Int32, message: String, sql: String = "") {
    self.code = code
    self.message = message
    self.sql = sql
  }

  /// The primary result code: the low eight bits.
  public var primaryCode: Int32 { code & 0xFF }

  /// Whether the file is no database or a damaged one, as opposed to a statement that does not fit it.
  public var isDamage: Bool {
    [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT].contains(primaryCode)
  }
}

extension SQLiteError: CustomStringConvertible {
  /// One line without a full stop.
  public var description: String { message.escapedForDisplay + " (SQLite \(code))" }
}
