import Platform
import SQLite

/// An album with what is needed to read its members.
struct AlbumRecord: Sendable {
  let album: Album
  /// Its row in ZGENERICALBUM.
  let row: Int64?
  /// Its row in ZSHARE (macOS 26 and later).
  let share: Int64?
  let order: MemberOrder
}

/// The order in which an album shows its members (`ZCUSTOMSORTKEY`, `ZCUSTOMSORTASCENDING`).
enum MemberOrder: Hashable, Sendable {
  case manual
  case date(ascending: Bool)
  case title(ascending: Bool)

  init(key: Int64?, ascending: Bool) {
    switch key {
    case 1: self = .date(ascending: ascending)
    case 5: self = .title(ascending: ascending)
    default: self = .manual
    }
  }
}

/// Reads the list of albums and folders: two small tables, no member.
struct AlbumReader {
  let schema: PhotosSchema

  /// `ZGENERICALBUM.ZKIND` of what the sidebar shows.
  private enum Kind {
    static let album: Int64 = 2
    static let sharedAlbum: Int64 = 1505
    static let folder: Int64 = 4000
  }

  private struct Row {
    let key: Int64
    let uuid: String?
    let title: String?
    let kind: Int64
    let parent: Int64?
    let order: MemberOrder
    let count: Int?
    let created: Timestamp?
  }

  func read(_ connection: Connection) throws(SQLiteError) -> [AlbumRecord] {
    let rows = try albumRows(connection)
    let parents = Self.parents(of: rows)
    var identities = Identities()
    var ids: [Int64: AlbumID] = [:]
    for row in rows { ids[row.key] = identities.new(row.uuid, key: row.key) }
    var shares = try shareRows(connection)
    var records: [AlbumRecord] = []
    for row in rows {
      guard let id = ids[row.key] else { continue }
      let kind: Album.Kind =
        switch row.kind {
        case Kind.folder: .folder
        case Kind.sharedAlbum: .sharedAlbum
        default: .album
        }
      let album = Album(
        id: id, title: row.title, kind: kind, parent: parents[row.key].flatMap { ids[$0] },
        recordedCount: kind == .folder ? nil : row.count, created: row.created)
      // Photos of macOS 26 may hold a shared album in both forms.
      let share = kind == .sharedAlbum ? shares.firstIndex { $0.uuid != nil && $0.uuid == row.uuid } : nil
      records.append(
        AlbumRecord(album: album, row: row.key, share: share.map { shares.remove(at: $0).key }, order: row.order))
    }
    for row in shares {
      let id = identities.new(row.uuid, key: row.key)
      let album = Album(
        id: id, title: row.title, kind: .sharedAlbum, parent: nil, recordedCount: row.count, created: row.created)
      records.append(AlbumRecord(album: album, row: nil, share: row.key, order: .manual))
    }
    return records
  }

  // MARK: - Rows

  private func albumRows(_ connection: Connection) throws(SQLiteError) -> [Row] {
    let table = schema.albums
    let position =
      table.columns.contains("Z_FOK_PARENTFOLDER") ? "Z_FOK_PARENTFOLDER IS NULL, Z_FOK_PARENTFOLDER, " : ""
    var statement = try connection.prepare(
      """
      SELECT Z_PK, ZUUID, ZTITLE, ZKIND, ZPARENTFOLDER, \(table.column("ZCUSTOMSORTKEY", "g")),
      \(table.column("ZCUSTOMSORTASCENDING", "g")), \(table.column("ZCACHEDCOUNT", "g")),
      \(table.column("ZCREATIONDATE", "g"))
      FROM ZGENERICALBUM g WHERE ZKIND IN (\(Kind.album), \(Kind.sharedAlbum), \(Kind.folder))
      AND IFNULL(ZTRASHEDSTATE, 0) = 0 ORDER BY \(position)Z_PK
      """)
    var rows: [Row] = []
    while try statement.step() {
      guard let key = statement.int(0), let kind = statement.int(3) else { continue }
      rows.append(
        Row(
          key: key, uuid: statement.text(1), title: statement.text(2), kind: kind, parent: statement.int(4),
          order: MemberOrder(key: statement.int(5), ascending: statement.int(6) != 0),
          count: statement.int(7).map { max(0, Int(clamping: $0)) }, created: PhotosDate.timestamp(statement.double(8)))
      )
    }
    return rows
  }

  private func shareRows(_ connection: Connection) throws(SQLiteError) -> [Row] {
    guard let table = schema.shares, let entity = schema.collectionShare else { return [] }
    var statement = try connection.prepare(
      """
      SELECT Z_PK, ZUUID, ZTITLE, \(table.column("ZASSETCOUNT", "s")), \(table.column("ZCREATIONDATE", "s"))
      FROM ZSHARE s WHERE Z_ENT = ?1 AND IFNULL(\(table.column("ZTRASHEDSTATE", "s")), 0) = 0 ORDER BY Z_PK
      """)
    try statement.bind(entity, at: 1)
    var rows: [Row] = []
    while try statement.step() {
      guard let key = statement.int(0) else { continue }
      rows.append(
        Row(
          key: key, uuid: statement.text(1), title: statement.text(2), kind: Kind.sharedAlbum, parent: nil,
          order: .manual, count: statement.int(3).map { max(0, Int(clamping: $0)) },
          created: PhotosDate.timestamp(statement.double(4))))
    }
    return rows
  }

  // MARK: - Parents

  /// The folder of each album and folder that has one. Those whose folder is not shown, and folders that contain
  /// themselves, come to the top.
  private static func parents(of rows: [Row]) -> [Int64: Int64] {
    let folders = Set(rows.filter { $0.kind == Kind.folder }.map(\.key))
    var parents: [Int64: Int64] = [:]
    for row in rows where row.kind != Kind.sharedAlbum {
      if let parent = row.parent, folders.contains(parent) { parents[row.key] = parent }
    }
    var finished: Set<Int64> = []
    for start in folders {
      // Climb until something known; what is met twice on the way lies in a cycle.
      var way: [Int64] = []
      var positions: [Int64: Int] = [:]
      var current: Int64? = start
      while let folder = current, !finished.contains(folder) {
        if let position = positions[folder] {
          for member in way[position...] { parents[member] = nil }
          break
        }
        positions[folder] = way.count
        way.append(folder)
        current = parents[folder]
      }
      finished.formUnion(way)
    }
    return parents
  }

  /// Makes identities that differ even where the recorded ones are missing or repeated.
  private struct Identities {
    private var used: Set<AlbumID> = []

    mutating func new(_ uuid: String?, key: Int64) -> AlbumID {
      let base = uuid.flatMap { $0.isEmpty ? nil : $0 } ?? "album-\(key)"
      var id = AlbumID(base)
      var attempt = 0
      while !used.insert(id).inserted {
        id = AlbumID(attempt == 0 ? "\(base)#\(key)" : "\(base)#\(key)-\(attempt)")
        attempt += 1
      }
      return id
    }
  }
}

/// Dates as Core Data stores them.
enum PhotosDate {
  /// Seconds since 2001-01-01 UTC, also absurd ones; `nil` when not recorded.
  static func timestamp(_ value: Double?) -> Timestamp? {
    value.flatMap { Timestamp(secondsSince1970: $0 + 978_307_200) }
  }
}
