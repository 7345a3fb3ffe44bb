import SQLite

/// Which tables and columns this database has. Core Data numbers its join tables anew with every release, and columns
/// come and go, so that all of it is looked up.
struct PhotosSchema: Sendable {
  /// A table's columns.
  struct Table: Sendable {
    let name: String
    let columns: Set<String>

    /// `alias.column`, or NULL where this release has no such column.
    func column(_ column: String, _ alias: String) -> String {
      columns.contains(column) ? "\(alias).\(column)" : "NULL"
    }
  }

  /// The table that says which asset is in which album.
  struct Membership: Sendable {
    let table: String
    let album: String
    let asset: String
    /// The manual order; `nil` where there is none.
    let order: String?
  }

  let albums: Table
  let assets: Table
  /// Tables that damaged libraries and other releases may lack.
  let attributes: Table?
  let resources: Table?
  let bookmarks: Table?
  let volumes: Table?
  let typeIdentifiers: Table?
  let shares: Table?
  /// The entity number of shared albums among the shares (macOS 26 and later).
  let collectionShare: Int64?
  /// `nil` when it could not be told which table it is.
  let membership: Membership?

  /// Why a schema cannot be used.
  enum Failure: Error {
    case database(SQLiteError)
    /// A part that cannot be done without is not there.
    case missing(String)
  }

  /// Reads the schema; no row of an album or asset is read.
  init(_ connection: Connection) throws(Failure) {
    let reader = SchemaReader(connection)
    guard let albums = try reader.table("ZGENERICALBUM") else { throw .missing("table ZGENERICALBUM") }
    // Photos 5 has both names as entities, but only this table.
    var assets = try reader.table("ZGENERICASSET")
    if assets == nil { assets = try reader.table("ZASSET") }
    guard let assets else { throw .missing("table ZASSET") }
    for column in ["Z_PK", "ZKIND", "ZTITLE", "ZUUID", "ZTRASHEDSTATE", "ZPARENTFOLDER"]
    where !albums.columns.contains(column) { throw .missing("column \(column) of ZGENERICALBUM") }
    // Without these hidden and trashed photos could not be told from others.
    for column in [
      "Z_PK", "ZUUID", "ZKIND", "ZDIRECTORY", "ZFILENAME", "ZTRASHEDSTATE", "ZHIDDEN", "ZVISIBILITYSTATE",
    ] where !assets.columns.contains(column) { throw .missing("column \(column) of \(assets.name)") }
    self.albums = albums
    self.assets = assets
    attributes = try reader.table("ZADDITIONALASSETATTRIBUTES", needs: ["ZASSET"])
    resources = try reader.table(
      "ZINTERNALRESOURCE", needs: ["ZASSET", "ZRESOURCETYPE", "ZDATASTORESUBTYPE", "ZVERSION"])
    bookmarks = try reader.table("ZFILESYSTEMBOOKMARK", needs: ["Z_PK", "ZPATHRELATIVETOVOLUME"])
    volumes = try reader.table("ZFILESYSTEMVOLUME", needs: ["Z_PK", "ZNAME"])
    typeIdentifiers = try reader.table("ZUNIFORMTYPEIDENTIFIER", needs: ["Z_PK", "ZIDENTIFIER"])
    let shares = try reader.table("ZSHARE", needs: ["Z_PK", "Z_ENT", "ZUUID", "ZTITLE"])
    let entities = try reader.entities()
    collectionShare = assets.columns.contains("ZCOLLECTIONSHARE") ? entities["CollectionShare"] : nil
    self.shares = collectionShare == nil ? nil : shares
    membership = try reader.membership(album: entities["Album"], asset: entities["GenericAsset"] ?? entities["Asset"])
  }
}

/// Looks up tables and columns.
private struct SchemaReader {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// An ordinary table; virtual ones, whose modules run code, are not looked at.
  func table(_ name: String, needs required: [String] = []) throws(PhotosSchema.Failure) -> PhotosSchema.Table? {
    guard try tables(like: name).contains(name) else { return nil }
    let columns = try columns(of: name)
    return columns.isSuperset(of: required) && !columns.isEmpty ? PhotosSchema.Table(name: name, columns: columns) : nil
  }

  func entities() throws(PhotosSchema.Failure) -> [String: Int64] {
    guard try table("Z_PRIMARYKEY", needs: ["Z_ENT", "Z_NAME"]) != nil else { return [:] }
    let pairs = try rows("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY") { row -> (name: String, number: Int64)? in
      guard let number = row.int(0), let name = row.text(1) else { return nil }
      return (name, number)
    }
    return Dictionary(pairs.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
  }

  /// The table that the entity numbers name; else, when just one has its form, that one.
  func membership(album: Int64?, asset: Int64?) throws(PhotosSchema.Failure) -> PhotosSchema.Membership? {
    var found: [PhotosSchema.Membership] = []
    for name in try tables(like: "Z\\_%ASSETS") {
      guard Self.isNumbered(name, "Z_", "ASSETS"), let membership = try membershipForm(of: name) else { continue }
      if let album, let asset, name == "Z_\(album)ASSETS", membership.album == "Z_\(album)ALBUMS",
        membership.asset == "Z_\(asset)ASSETS"
      {
        return membership
      }
      found.append(membership)
    }
    return found.count == 1 ? found.first : nil
  }

  private func membershipForm(of name: String) throws(PhotosSchema.Failure) -> PhotosSchema.Membership? {
    let columns = try columns(of: name)
    let albums = columns.filter { Self.isNumbered($0, "Z_", "ALBUMS") }
    let assets = columns.filter { Self.isNumbered($0, "Z_", "ASSETS") }
    let orders = columns.filter { Self.isNumbered($0, "Z_FOK_", "ASSETS") }
    guard albums.count == 1, assets.count == 1, orders.count <= 1, let album = albums.first, let asset = assets.first
    else { return nil }
    return PhotosSchema.Membership(table: name, album: album, asset: asset, order: orders.first)
  }

  private func tables(like pattern: String) throws(PhotosSchema.Failure) -> [String] {
    let sql = """
      SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '\(pattern)' ESCAPE '\\'
      AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name
      """
    return try rows(sql) { $0.text(0) }
  }

  /// `table` is a name of this file or one of numbers and letters: it needs no quoting.
  private func columns(of table: String) throws(PhotosSchema.Failure) -> Set<String> {
    Set(try rows("PRAGMA table_info(\(table))") { $0.text(1) })
  }

  private static func isNumbered(_ name: String, _ prefix: String, _ suffix: String) -> Bool {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix), name.count > prefix.count + suffix.count else { return false }
    return name.dropFirst(prefix.count).dropLast(suffix.count).utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  private func rows<R>(
    _ sql: String, _ decode: (borrowing Statement) -> R?
  ) throws(PhotosSchema.Failure) -> [R] {
    do throws(SQLiteError) {
      var statement = try connection.prepare(sql)
      var result: [R] = []
      while try statement.step() {
        if let row = decode(statement) { result.append(row) }
      }
      return result
    } catch {
      throw .database(error)
    }
  }
}
