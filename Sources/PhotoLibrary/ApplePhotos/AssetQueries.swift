import SQLite

/// An asset with the rows of its files.
struct AssetRecord: Sendable {
  let row: AssetRow
  let resources: [ResourceRow]
}

/// The statements that read assets. Each runs on the indexes that Photos keeps itself.
struct AssetQueries: Sendable {
  let schema: PhotosSchema
  let includeHidden: Bool

  /// `from` names the asset table `a`.
  private func selection(from: String) -> String {
    let attributes =
      schema.attributes == nil ? "" : " LEFT JOIN ZADDITIONALASSETATTRIBUTES x ON x.ZASSET = a.Z_PK"
    return "SELECT \(AssetRow.columns(schema)) FROM \(from)\(attributes)"
  }

  private var selection: String { selection(from: "\(schema.assets.name) a") }

  /// What is never shown, and what only when asked.
  private var shown: String {
    "IFNULL(a.ZTRASHEDSTATE, 0) = 0" + (includeHidden ? "" : " AND IFNULL(a.ZHIDDEN, 0) = 0")
  }

  private var isPublished: String { schema.assets.column("ZCLOUDBATCHPUBLISHDATE", "a") + " IS NOT NULL" }

  // MARK: - Main view and single assets

  /// The main view by key, at most `limit`. Visibility leaves out unpicked frames of bursts and shared albums.
  func mainView(after number: Int64, limit: Int, _ connection: Connection) throws(SQLiteError) -> [AssetRecord] {
    var statement = try connection.prepare(
      """
      \(selection) WHERE a.Z_PK > ?1 AND \(shown) AND IFNULL(a.ZVISIBILITYSTATE, 0) = 0 AND NOT (\(isPublished))
      ORDER BY a.Z_PK
      """)
    try statement.bind(number, at: 1)
    return try records(&statement, limit: limit, connection)
  }

  func asset(number: Int64, _ connection: Connection) throws(SQLiteError) -> AssetRecord? {
    var statement = try connection.prepare("\(selection) WHERE a.Z_PK = ?1 AND \(shown)")
    try statement.bind(number, at: 1)
    return try records(&statement, limit: 1, connection).first
  }

  // MARK: - Members

  /// The members of an album in its order. Rows that point nowhere fall out in the join; unpicked frames of bursts come
  /// only with their burst, so not here, while a shared album shows all that it has.
  func members(
    of record: AlbumRecord, _ membership: PhotosSchema.Membership?, _ connection: Connection
  ) throws(SQLiteError) -> [AssetRecord] {
    var result: [AssetRecord] = []
    if let row = record.row, let membership {
      let visible =
        record.album.kind == .sharedAlbum ? "" : " AND (IFNULL(a.ZVISIBILITYSTATE, 0) = 0 OR \(isPublished))"
      let from = "\(membership.table) m JOIN \(schema.assets.name) a ON a.Z_PK = m.\(membership.asset)"
      var statement = try connection.prepare(
        """
        \(selection(from: from))
        WHERE m.\(membership.album) = ?1 AND \(shown)\(visible) ORDER BY \(order(record.order, membership))
        """)
      try statement.bind(row, at: 1)
      result = try records(&statement, limit: .max, connection)
    }
    if let share = record.share {
      let known = Set(result.map(\.row.number))
      let published = schema.assets.column("ZCLOUDBATCHPUBLISHDATE", "a")
      var statement = try connection.prepare(
        "\(selection) WHERE a.ZCOLLECTIONSHARE = ?1 AND \(shown) ORDER BY \(published), a.Z_PK")
      try statement.bind(share, at: 1)
      result += try records(&statement, limit: .max, connection).filter { !known.contains($0.row.number) }
    }
    return result
  }

  /// Ties, and albums without a manual order, by what is left; SQLite puts NULL first when ascending.
  private func order(_ order: MemberOrder, _ membership: PhotosSchema.Membership) -> String {
    let manual = (membership.order.map { "m.\($0), " } ?? "") + "m.\(membership.asset)"
    switch order {
    case .manual: return manual
    case .date(let ascending):
      return "\(schema.assets.column("ZDATECREATED", "a")) \(ascending ? "ASC" : "DESC"), \(manual)"
    case .title(let ascending):
      let title = schema.attributes?.column("ZTITLE", "x") ?? "NULL"
      return "IFNULL(\(title), '') \(ascending ? "ASC" : "DESC"), \(manual)"
    }
  }

  // MARK: - Rows

  /// Steps to the end or the limit, then reads the rows of the files for all of them.
  private func records(
    _ statement: inout Statement, limit: Int, _ connection: Connection
  ) throws(SQLiteError) -> [AssetRecord] {
    var rows: [AssetRow] = []
    var seen: Set<Int64> = []
    while rows.count < limit, try statement.step() {
      // A second row of attributes, which no sound library has, would repeat an asset.
      guard let row = AssetRow(statement), seen.insert(row.number).inserted else { continue }
      rows.append(row)
    }
    let resources = try ResourceRow.read(of: rows, schema, connection)
    return rows.map { AssetRecord(row: $0, resources: resources[$0.number] ?? []) }
  }
}
