/// The truth about a written library: what a reader must find.
public struct LibraryManifest: Sendable {
  /// One file of an asset.
  public struct File: Sendable {
    /// Which of the asset's files.
    public enum Kind: Sendable {
      /// What the camera wrote.
      case original
      /// The movie of a Live Photo.
      case liveVideo
      /// The RAW of a pair.
      case raw
      /// The edited version.
      case edited
    }

    /// Which of the asset's files.
    public let kind: Kind
    /// Below the bundle; `nil` when there is no file there.
    public let path: String?
    /// The file's bytes, or the recorded ones when there is no file.
    public let bytes: Int64
  }

  /// One asset.
  public struct Asset: Sendable {
    /// Its identifier.
    public let uuid: String
    /// The name recorded for people.
    public let originalName: String?
    /// When it was taken, seconds since 1970.
    public let taken: Double
    /// The original first.
    public let files: [File]
    /// Marked as a favourite.
    public let isFavorite: Bool
    /// Hidden by the user.
    public let isHidden: Bool
    /// In the library's trash.
    public let isTrashed: Bool
    /// Only in a shared album.
    public let isShared: Bool

    /// Whether every file is there.
    public var isComplete: Bool { files.allSatisfy { $0.path != nil } }
  }

  /// One album; folders appear as the first titles of `path`.
  public struct Album: Sendable {
    /// Its identifier.
    public let uuid: String
    /// Titles, outermost folder first; `nil` where none is recorded.
    public let path: [String?]
    /// Shared through the cloud.
    public let isShared: Bool
    /// Indexes into the assets, in the order recorded, with hidden and trashed ones.
    public let members: [Int]
  }

  /// The bundle.
  public let path: String
  /// All assets, as planned.
  public let assets: [Asset]
  /// All albums, as planned, without the folders.
  public let albums: [Album]

  /// The members of an album that a reader shows who was not asked for hidden ones.
  public func visibleMembers(of album: Album) -> [Asset] {
    album.members.map { assets[$0] }.filter { !$0.isHidden && !$0.isTrashed }
  }

  /// The assets of the main view.
  public var visibleAssets: [Asset] { assets.filter { !$0.isHidden && !$0.isTrashed && !$0.isShared } }

  /// The album with these titles.
  public func album(_ path: String...) -> Album? { albums.first { $0.path == path.map(Optional.some) } }
}
