import Platform

/// Identity of an asset, stable for its library.
public struct AssetID: Hashable, Comparable, Sendable {
  /// The source's own identifier (Apple Photos: an upper-case UUID); input, not to be used as a name unchecked.
  public let text: String
  /// Wraps the source's identifier.
  public init(_ text: String) { self.text = text }
  /// By bytes of UTF-8, so that the order is the same everywhere.
  public static func < (left: AssetID, right: AssetID) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

/// A photo or video with all its renditions.
public struct Asset: Hashable, Sendable {
  /// Photo or video.
  public enum Kind: Hashable, Sendable {
    /// A still, also of a Live Photo.
    case photo
    /// A movie.
    case video
  }

  /// Identity.
  public let id: AssetID
  /// A small number, unique in the library and the same in each of its revisions (Apple Photos: Z_PK, at least 1).
  public let number: Int64
  /// Photo or video.
  public let kind: Kind
  /// The file name that people know, as recorded; never empty, otherwise unchecked.
  public let originalName: String
  /// When it was taken; `nil` when not recorded.
  public let taken: Timestamp?
  /// Seconds east of UTC where it was taken; 0 when not recorded.
  public let zoneOffset: Int32
  /// When it came into the library; `nil` when not recorded.
  public let added: Timestamp?
  /// Marked as a favourite.
  public let isFavorite: Bool
  /// Hidden by the user.
  public let isHidden: Bool
  /// The original first, then what else there is, each kind at most once.
  public let renditions: [Rendition]

  /// Describes an asset.
  public init(
    id: AssetID, number: Int64, kind: Kind, originalName: String, taken: Timestamp?, zoneOffset: Int32,
    added: Timestamp?, isFavorite: Bool, isHidden: Bool, renditions: [Rendition]
  ) {
    self.id = id
    self.number = number
    self.kind = kind
    self.originalName = originalName
    self.taken = taken
    self.zoneOffset = zoneOffset
    self.added = added
    self.isFavorite = isFavorite
    self.isHidden = isHidden
    self.renditions = renditions
  }
}
