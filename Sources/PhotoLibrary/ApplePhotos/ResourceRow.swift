import SQLite

/// A row of ZINTERNALRESOURCE that stands for one of the files that are shown.
struct ResourceRow: Sendable {
  /// What a row is, by (ZRESOURCETYPE, ZDATASTORESUBTYPE, ZVERSION).
  enum Role: Hashable, Sendable {
    case original
    case liveVideo
    case raw
    case editedStill
    case editedVideo
    case editedLiveVideo
    case sharedOriginal
  }

  let role: Role
  let size: Int64
  let availability: Rendition.Availability
  let typeIdentifier: String?
  let compactType: String?
  /// Of referenced files: the path relative to the volume, and the volume's name.
  let bookmark: String?
  let volume: String?

  private init?(_ row: borrowing Statement) {
    switch (row.int(1), row.int(2), row.int(3)) {
    case (0, 1, 0), (1, 1, 0): role = .original
    case (3, 18, 0): role = .liveVideo
    case (4, 17, 0): role = .raw
    case (0, 2, 2): role = .editedStill
    case (1, 16, 2): role = .editedVideo
    case (3, 19, 2): role = .editedLiveVideo
    case (0, 3, 0), (1, 8, 0): role = .sharedOriginal
    default: return nil
    }
    size = max(0, row.int(4) ?? 0)
    // 1 is here; -1 not here; -32768 never was. The remote column: 1 is in the cloud.
    switch (row.int(5), row.int(6)) {
    case (.some(1), _): availability = .local
    case (_, .some(1)): availability = .cloudOnly
    default: availability = .lost
    }
    typeIdentifier = row.text(7)
    compactType = row.text(8)
    bookmark = row.text(9)
    volume = row.text(10)
  }

  /// The rows of many assets with few queries, as lists by asset.
  static func read(
    of assets: [AssetRow], _ schema: PhotosSchema, _ connection: Connection
  ) throws(SQLiteError) -> [Int64: [ResourceRow]] {
    guard let sql = sql(schema), !assets.isEmpty else { return [:] }
    var statement = try connection.prepare(sql)
    var result: [Int64: [ResourceRow]] = [:]
    for start in stride(from: 0, to: assets.count, by: batch) {
      statement.reset()
      for position in 0..<batch {
        let index = start + position
        try statement.bind(index < assets.count ? assets[index].number : nil, at: position + 1)
      }
      while try statement.step() {
        guard let asset = statement.int(0), let row = ResourceRow(statement) else { continue }
        result[asset, default: []].append(row)
      }
    }
    return result
  }

  private static let batch = 100

  private static func sql(_ schema: PhotosSchema) -> String? {
    guard let table = schema.resources else { return nil }
    var joins = ""
    var typeIdentifier = "NULL"
    var bookmark = "NULL"
    var volume = "NULL"
    if schema.typeIdentifiers != nil, table.columns.contains("ZUNIFORMTYPEIDENTIFIER") {
      joins += " LEFT JOIN ZUNIFORMTYPEIDENTIFIER u ON u.Z_PK = r.ZUNIFORMTYPEIDENTIFIER"
      typeIdentifier = "u.ZIDENTIFIER"
    }
    if schema.bookmarks != nil, table.columns.contains("ZFILESYSTEMBOOKMARK") {
      joins += " LEFT JOIN ZFILESYSTEMBOOKMARK b ON b.Z_PK = r.ZFILESYSTEMBOOKMARK"
      bookmark = "b.ZPATHRELATIVETOVOLUME"
    }
    if schema.volumes != nil, table.columns.contains("ZFILESYSTEMVOLUME") {
      joins += " LEFT JOIN ZFILESYSTEMVOLUME v ON v.Z_PK = r.ZFILESYSTEMVOLUME"
      volume = "v.ZNAME"
    }
    let keys = (1...batch).map { "?\($0)" }.joined(separator: ", ")
    return """
      SELECT r.ZASSET, r.ZRESOURCETYPE, r.ZDATASTORESUBTYPE, r.ZVERSION, \(table.column("ZDATALENGTH", "r")),
      \(table.column("ZLOCALAVAILABILITY", "r")), \(table.column("ZREMOTEAVAILABILITY", "r")), \(typeIdentifier),
      \(table.column("ZCOMPACTUTI", "r")), \(bookmark), \(volume)
      FROM ZINTERNALRESOURCE r\(joins)
      WHERE r.ZASSET IN (\(keys)) AND +r.ZDATASTORESUBTYPE IN (1, 2, 3, 8, 16, 17, 18, 19) ORDER BY r.ZASSET, r.Z_PK
      """
  }
}
