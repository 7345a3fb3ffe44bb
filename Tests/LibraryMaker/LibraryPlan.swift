/// A photo or video to be put into a sample library.
public struct PlannedAsset: Sendable {
  /// What file its original is.
  public enum Medium: Sendable {
    /// A JPEG photo.
    case jpeg
    /// A PNG photo.
    case png
    /// A QuickTime movie.
    case movie
  }

  /// Whether the original is on the disk, and what the library says of one that is not.
  public enum Presence: Sendable {
    /// In the bundle.
    case local
    /// Recorded as being in the cloud only.
    case cloudOnly
    /// Recorded as being here, without a file.
    case lost
    /// Outside the bundle, in the folder given as an absolute path; the file is written there when the folder exists.
    case referenced(folder: String)
  }

  /// The file name as people know it; `nil` leaves the column NULL.
  public var name: String?
  /// What file the original is.
  public var medium: Medium
  /// Where the original is.
  public var presence: Presence
  /// Bytes of the original, if that is more than the picture takes; 0 for no filler.
  public var size: Int64
  /// Make the filler a hole.
  public var isSparse: Bool
  /// Bytes that the library records, when they are to differ from the file's.
  public var recordedSize: Int64?
  /// When it was taken, seconds since 1970.
  public var taken: Double
  /// Seconds east of UTC where it was taken.
  public var zoneOffset: Int
  /// It is a Live Photo: a movie goes with it.
  public var hasLiveVideo: Bool
  /// It is a RAW+JPEG pair: a DNG goes with it.
  public var hasRaw: Bool
  /// It was edited: a rendered JPEG goes with it.
  public var isEdited: Bool
  /// Marked as a favourite.
  public var isFavorite: Bool
  /// Hidden by the user.
  public var isHidden: Bool
  /// In the library's trash.
  public var isTrashed: Bool
  /// Keywords.
  public var keywords: [String]
  /// Recorded in place of the true folder and file name, to try what a hostile library may hold. No file is written.
  public var recordedPath: (directory: String, filename: String)?

  /// Describes an asset; the defaults are an ordinary local photo of July 2023.
  public init(
    _ name: String?, medium: Medium = .jpeg, presence: Presence = .local, size: Int64 = 0, isSparse: Bool = false,
    recordedSize: Int64? = nil, taken: Double = 1_689_500_000, zoneOffset: Int = 0, hasLiveVideo: Bool = false,
    hasRaw: Bool = false, isEdited: Bool = false, isFavorite: Bool = false, isHidden: Bool = false,
    isTrashed: Bool = false, keywords: [String] = [], recordedPath: (directory: String, filename: String)? = nil
  ) {
    self.name = name
    self.medium = medium
    self.presence = presence
    self.size = size
    self.isSparse = isSparse
    self.recordedSize = recordedSize
    self.taken = taken
    self.zoneOffset = zoneOffset
    self.hasLiveVideo = hasLiveVideo
    self.hasRaw = hasRaw
    self.isEdited = isEdited
    self.isFavorite = isFavorite
    self.isHidden = isHidden
    self.isTrashed = isTrashed
    self.keywords = keywords
    self.recordedPath = recordedPath
  }
}

/// A folder or album to be put into a sample library.
public struct PlannedAlbum: Sendable {
  /// What it holds.
  public enum Kind: Sendable {
    /// Folders and albums.
    case folder
    /// Assets.
    case album
    /// Assets shared through the cloud. An asset in a shared album is in no other and not in the main view.
    case shared
  }

  /// The order of members that the library records.
  public enum Order: Sendable {
    /// As planned.
    case manual
    /// By the time taken.
    case oldestFirst
    /// By the time taken, backwards.
    case newestFirst
  }

  /// The title; `nil` leaves the column NULL.
  public var title: String?
  /// Folder, album or shared album.
  public var kind: Kind
  /// The folder that holds it, as an index into the plan's albums; `nil` at the top.
  public var parent: Int?
  /// The order recorded.
  public var order: Order
  /// Members as indexes into the plan's assets.
  public var members: [Int]

  /// Describes an album.
  public init(
    _ title: String?, kind: Kind = .album, in parent: Int? = nil, order: Order = .manual, members: [Int] = []
  ) {
    self.title = title
    self.kind = kind
    self.parent = parent
    self.order = order
    self.members = members
  }
}

/// All that a sample library is to hold, and how its database is left.
public struct LibraryPlan: Sendable {
  /// What is left of SQLite's write-ahead log.
  public enum WriteAheadLog: Sendable {
    /// Nothing: the last close removed it.
    case absent
    /// An empty file, as Photos often leaves it.
    case empty
    /// All albums and memberships, and the last tenth of the assets, are only in the log.
    case pending
  }

  /// Photos and videos.
  public var assets: [PlannedAsset]
  /// Folders and albums.
  public var albums: [PlannedAlbum]
  /// Decides about identifiers and pictures.
  public var seed: UInt64
  /// The state of the log.
  public var writeAheadLog: WriteAheadLog = .absent
  /// The number by which Photos tells its versions; 16320 is Photos 8 of macOS 13.
  public var modelVersion: Int64 = 16320
  /// The entity number in the names of the table of memberships and its columns; another number than the entity's own
  /// (28) is what a coming release may bring.
  public var membershipEntity = 28
  /// Blocks of 8 pixels along each side of a picture; a few make a large library quick to write.
  public var pictureBlocks = 16

  /// Describes a library.
  public init(assets: [PlannedAsset], albums: [PlannedAlbum], seed: UInt64 = 1) {
    self.assets = assets
    self.albums = albums
    self.seed = seed
  }

  /// Adds an asset.
  /// - Returns: its index.
  @discardableResult
  public mutating func add(_ asset: PlannedAsset) -> Int {
    assets.append(asset)
    return assets.count - 1
  }

  /// Adds an album or folder.
  /// - Returns: its index.
  @discardableResult
  public mutating func add(_ album: PlannedAlbum) -> Int {
    albums.append(album)
    return albums.count - 1
  }
}
