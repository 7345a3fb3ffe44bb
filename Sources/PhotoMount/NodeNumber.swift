import Fuse
import PhotoLibrary

/// What an inode number of the mount stands for. The number alone says it, so that nothing has to be remembered for the
/// views however many photos they show; and a rendition has one number in however many albums it appears.
///
/// Layout: the kind in bits 56 and up, the value below. 1 is the root, as the protocol wants.
enum NodeNumber: Hashable {
  /// A folder that is always there.
  case fixed(FixedFolder)
  /// A folder or album: its number in `AlbumNumbers`.
  case album(UInt32)
  /// `Years/2023`; 0 for what has no date.
  case year(Int)
  /// `Years/2023/2023-07`.
  case month(year: Int, month: Int)
  /// A file of an asset.
  case file(asset: Int64, Rendition.Kind)
  /// Something in `Backup/`: its number in `BackupTree`.
  case backup(UInt64)

  /// Assets with numbers beyond this cannot be shown; Photos counts from 1.
  static let assetLimit: Int64 = 1 << 48

  init?(_ inode: InodeNumber) {
    let raw = inode.rawValue
    let value = raw & (1 << 56 - 1)
    switch raw >> 56 {
    case 0:
      guard let folder = FixedFolder(rawValue: value) else { return nil }
      self = .fixed(folder)
    case 1: self = .album(UInt32(truncatingIfNeeded: value))
    case 2: self = .year(Int(value))
    case 3: self = .month(year: Int(value / 16), month: Int(value % 16))
    case 4:
      guard let kind = Rendition.Kind(rawValue: UInt8(value % 16)) else { return nil }
      self = .file(asset: Int64(value / 16), kind)
    case 5: self = .backup(value)
    default: return nil
    }
  }

  var inode: InodeNumber {
    let (tag, value): (UInt64, UInt64) =
      switch self {
      case .fixed(let folder): (0, folder.rawValue)
      case .album(let number): (1, UInt64(number))
      case .year(let year): (2, UInt64(year))
      case .month(let year, let month): (3, UInt64(year * 16 + month))
      case .file(let asset, let kind): (4, UInt64(asset) * 16 + UInt64(kind.rawValue))
      case .backup(let number): (5, number)
      }
    return InodeNumber(rawValue: tag << 56 | value)
  }
}

/// The folders at the top of the mount.
enum FixedFolder: UInt64, Hashable, CaseIterable {
  case root = 1
  case albums = 2
  case sharedAlbums = 3
  case allPhotos = 4
  case years = 5
  case favorites = 6

  /// The name at the top; none for the root.
  var title: StaticString? {
    switch self {
    case .root: nil
    case .albums: "Albums"
    case .sharedAlbums: "Shared Albums"
    case .allPhotos: "All Photos"
    case .years: "Years"
    case .favorites: "Favorites"
    }
  }
}
