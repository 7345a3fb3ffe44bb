import Platform

/// Identity of an album or folder, stable for its library.
public struct AlbumID: Hashable, Comparable, Sendable {
  /// The source's own identifier; input, not to be used as a name.
  public let text: String
  /// Wraps the source's identifier.
  public init(_ text: String) { self.text = text }
  /// By bytes of UTF-8, so that the order is the same everywhere.
  public static func < (left: AlbumID, right: AlbumID) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

/// An album, or a folder of albums, as the library's sidebar shows it.
public struct Album: Hashable, Sendable {
  /// What it can hold.
  public enum Kind: String, Hashable, Sendable {
    /// Folders and albums.
    case folder
    /// Photos that the user arranged.
    case album
    /// Photos shared through the cloud; has no parent.
    case sharedAlbum
  }

  /// Identity.
  public let id: AlbumID
  /// The title as recorded; `nil` when there is none. Input: may hold `/`, be `..` or a page long.
  public let title: String?
  /// Folder, album or shared album.
  public let kind: Kind
  /// The folder that holds it; `nil` at the top. Always the id of a folder in the same snapshot, never in a cycle.
  public let parent: AlbumID?
  /// The members as counted by the program that owns the library; only a hint. `nil` where it records none.
  public let recordedCount: Int?
  /// When it was made.
  public let created: Timestamp?

  /// Describes an album.
  public init(
    id: AlbumID, title: String?, kind: Kind, parent: AlbumID?, recordedCount: Int?, created: Timestamp?
  ) {
    self.id = id
    self.title = title
    self.kind = kind
    self.parent = parent
    self.recordedCount = recordedCount
    self.created = created
  }
}
