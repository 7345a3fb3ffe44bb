import Platform
import SQLite

/// Reading and writing rows.
extension Catalog {
  /// No path of a file is longer: Linux takes no longer one in a call, and exFAT's own limit is lower.
  static let longestPath = 32_768

  private static let columns = "path, asset, size, seconds, nanoseconds, hash, recorded"

  // MARK: - Reading

  /// The row of one file; `nil` when there is none.
  public func entry(_ path: RelativePath) throws(CatalogError) -> CatalogEntry? {
    try query("SELECT \(Self.columns) FROM copy WHERE path = ?", path.bytes, nil, limit: 1).first
  }

  /// Rows of files below a folder in the order of their paths' bytes, `limit` of them at most: those behind `after`, when
  /// it is given. The empty path is the backup folder itself.
  public func entries(
    below folder: RelativePath = .empty, after: RelativePath? = nil, limit: Int
  ) throws(CatalogError) -> [CatalogEntry] {
    let first = folder.components.isEmpty ? [] : folder.bytes + [0x2F]
    var start = first
    if let after, first.lexicographicallyPrecedes(after.bytes) { start = after.bytes }
    let end: [UInt8]? = folder.components.isEmpty ? nil : folder.bytes + [0x30]
    let upper = end == nil ? "" : " AND path < ?2"
    return try query(
      "SELECT \(Self.columns) FROM copy WHERE path \(after == nil ? ">=" : ">") ?1\(upper) ORDER BY path", start, end,
      limit: limit)
  }

  /// The copies of an asset: by path.
  public func entries(ofAsset asset: String) throws(CatalogError) -> [CatalogEntry] {
    do throws(SQLiteError) {
      var statement = try connection.prepare("SELECT \(Self.columns) FROM copy WHERE asset = ? ORDER BY path")
      try statement.bind(asset, at: 1)
      return try Self.rows(of: &statement, limit: .max)
    } catch { throw Self.classified(error) }
  }

  /// The number of rows.
  public func count() throws(CatalogError) -> Int {
    do throws(SQLiteError) {
      return Int(clamping: try CatalogSchema.number("SELECT count(*) FROM copy", connection) ?? 0)
    } catch { throw Self.classified(error) }
  }

  /// Reads every row.
  func checkRows() throws(CatalogError) {
    var after: RelativePath?
    while let last = try entries(after: after, limit: 1000).last { after = last.path }
  }

  private func query(
    _ sql: String, _ first: [UInt8], _ second: [UInt8]?, limit: Int
  ) throws(CatalogError) -> [CatalogEntry] {
    do throws(SQLiteError) {
      var statement = try connection.prepare("\(sql) LIMIT \(max(0, limit))")
      try statement.bind(first, at: 1)
      if let second { try statement.bind(second, at: 2) }
      return try Self.rows(of: &statement, limit: limit)
    } catch { throw Self.classified(error) }
  }

  private static func rows(of statement: inout Statement, limit: Int) throws(SQLiteError) -> [CatalogEntry] {
    var entries: [CatalogEntry] = []
    while entries.count < limit, try statement.step() {
      guard let entry = decode(statement) else { throw damage("it has a row that none of ours can be") }
      entries.append(entry)
    }
    return entries
  }

  /// A row as it may lie on a drive that anybody had in hand.
  private static func decode(_ row: borrowing Statement) -> CatalogEntry? {
    guard let bytes = row.bytes(0), bytes.count <= longestPath, let path = RelativePath(bytes: bytes),
      isOrdinary(path), let size = row.int(2), size >= 0, let seconds = row.int(3), let nanoseconds = row.int(4),
      (0..<1_000_000_000).contains(nanoseconds), let recorded = row.int(6)
    else { return nil }
    var hash: ContentHash?
    if let bytes = row.bytes(5) {
      guard let known = ContentHash(bytes: bytes) else { return nil }
      hash = known
    }
    return CatalogEntry(
      path: path, asset: row.text(1), size: size,
      modified: Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)), hash: hash, recorded: recorded)
  }

  /// Whether a path can be a user's file: not what is in `.foldic` or a trash.
  static func isOrdinary(_ path: RelativePath) -> Bool {
    guard let first = path.components.first else { return false }
    return !NameRules.isService(first) && !FolderWalk.isTrash(first)
  }

  // MARK: - Writing

  /// Records files in one transaction; a row that is there is replaced.
  public func record(_ entries: [CatalogEntry]) throws(CatalogError) {
    try apply(entries.map { .recorded($0, over: nil) })
  }

  /// Follows a rename of a file, or of a folder with all below it. What was recorded under the new name is forgotten.
  public func moved(from old: RelativePath, to new: RelativePath) throws(CatalogError) { try apply([.moved(old, new)]) }

  /// Forgets a file, or a folder with all below it.
  public func removed(_ path: RelativePath) throws(CatalogError) { try apply([.removed(path)]) }

  /// Makes changes in their order, in one transaction that is durable on return: all or none.
  func apply(_ changes: [CatalogChange]) throws(CatalogError) {
    guard !changes.isEmpty else { return }
    do throws(SQLiteError) {
      try connection.transaction { (connection) throws(SQLiteError) in
        var writer = try CatalogWriter(connection)
        for change in changes { try writer.apply(change) }
      }
    } catch { throw Self.classified(error) }
  }
}

/// One change of the catalog.
enum CatalogChange: Sendable {
  /// A row, in place of any; with `over` only while the row is still that one (or there is none, if that is an entry
  /// without record time): another process may have committed a newer file meanwhile.
  case recorded(CatalogEntry, over: Expectation?)
  /// Only size and time of a file, whose content is the same.
  case touched(RelativePath, size: Int64, modified: Timestamp)
  /// Size and time of a file that was never read.
  case restated(CatalogEntry)
  case moved(RelativePath, RelativePath)
  case exchanged(RelativePath, RelativePath)
  case removed(RelativePath)

  /// The row that a change expects to find.
  enum Expectation: Sendable {
    case nothing
    case row(CatalogEntry)
  }
}
