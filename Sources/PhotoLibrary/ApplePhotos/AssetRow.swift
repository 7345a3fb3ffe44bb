import Platform
import SQLite

/// A row of the asset table with its attributes, decoded but not yet judged.
struct AssetRow: Sendable {
  let number: Int64
  let uuid: String?
  let isVideo: Bool
  let subtype: Int64
  let directory: [UInt8]?
  let fileName: [UInt8]?
  let taken: Timestamp?
  let added: Timestamp?
  let isHidden: Bool
  let isFavorite: Bool
  let savedType: Int64
  let isPublished: Bool
  let scope: Int64
  let typeIdentifier: String?
  let adjustment: Int64
  let originalName: String?
  let originalSize: Int64
  let zoneOffset: Int32

  /// Lies in a shared album, outside the user's own photos.
  var isShared: Bool { isPublished || savedType == 4 }
  /// Left where it was, outside the bundle.
  var isReferenced: Bool { savedType == 10 }
  /// A Live Photo.
  var isLive: Bool { subtype == 2 }

  /// The select list that `init` decodes, for aliases `a` (asset) and `x` (attributes).
  static func columns(_ schema: PhotosSchema) -> String {
    let asset = schema.assets
    func attribute(_ name: String) -> String { schema.attributes?.column(name, "x") ?? "NULL" }
    return [
      "a.Z_PK", "a.ZUUID", "a.ZKIND", asset.column("ZKINDSUBTYPE", "a"), "a.ZDIRECTORY", "a.ZFILENAME",
      asset.column("ZDATECREATED", "a"), asset.column("ZADDEDDATE", "a"), "a.ZHIDDEN",
      asset.column("ZFAVORITE", "a"), asset.column("ZSAVEDASSETTYPE", "a"),
      asset.column("ZCLOUDBATCHPUBLISHDATE", "a") + " IS NOT NULL", asset.column("ZBUNDLESCOPE", "a"),
      asset.column("ZUNIFORMTYPEIDENTIFIER", "a"),
      // The newer name first, from macOS 15 on.
      "IFNULL(\(asset.column("ZADJUSTMENTSSTATE", "a")), \(asset.column("ZHASADJUSTMENTS", "a")))",
      attribute("ZORIGINALFILENAME"), attribute("ZORIGINALFILESIZE"), attribute("ZTIMEZONEOFFSET"),
      attribute("ZINFERREDTIMEZONEOFFSET"),
    ].joined(separator: ", ")
  }

  /// Decodes the current row of a statement that begins with `columns`; `nil` without a key.
  init?(_ row: borrowing Statement) {
    guard let number = row.int(0) else { return nil }
    self.number = number
    uuid = row.text(1)
    isVideo = row.int(2) == 1
    subtype = row.int(3) ?? 0
    directory = row.bytes(4)
    fileName = row.bytes(5)
    taken = PhotosDate.timestamp(row.double(6))
    added = PhotosDate.timestamp(row.double(7))
    isHidden = (row.int(8) ?? 0) != 0
    isFavorite = (row.int(9) ?? 0) != 0
    savedType = row.int(10) ?? 0
    isPublished = row.int(11) == 1
    scope = row.int(12) ?? 0
    typeIdentifier = row.text(13)
    adjustment = row.int(14) ?? 0
    originalName = row.text(15)
    originalSize = max(0, row.int(16) ?? 0)
    zoneOffset = Self.offset(row.int(17)) ?? Self.offset(row.int(18)) ?? 0
  }

  /// Seconds east of UTC; nowhere on earth more than 18 hours (ISO 8601 readers' limit), so that others are no offset.
  private static func offset(_ seconds: Int64?) -> Int32? {
    seconds.flatMap { (-64_800...64_800).contains($0) ? Int32($0) : nil }
  }
}
