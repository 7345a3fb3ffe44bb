import Platform

/// One file of an asset.
public struct Rendition: Hashable, Sendable {
  /// Which of the asset's files; the raw value is part of inode numbers and does not change.
  public enum Kind: UInt8, Hashable, CaseIterable, Sendable {
    /// What the camera wrote (of a RAW+JPEG pair: the JPEG).
    case original = 0
    /// The movie of a Live Photo.
    case liveVideo = 1
    /// The RAW of a RAW+JPEG pair.
    case raw = 2
    /// The current version after edits.
    case edited = 3
    /// The edited movie of a Live Photo.
    case editedLiveVideo = 4
  }

  /// Where the bytes are.
  public enum Location: Hashable, Sendable {
    /// Below the bundle, the first of these that is there.
    case bundle([RelativePath])
    /// Outside, where the user left it: an absolute path as recorded by the computer that owns the library.
    case referenced(String)
    /// Nowhere that may be opened: the record is empty or leads out of the bundle.
    case nowhere
  }

  /// Why a file that is not there is not there, as far as the library knows.
  public enum Availability: Hashable, Sendable {
    /// Recorded as being on this disk.
    case local
    /// Recorded as being only in the cloud.
    case cloudOnly
    /// Recorded as not reachable.
    case lost
  }

  /// Which file of the asset.
  public let kind: Kind
  /// The extension for people, without dot, as it is to be shown (`HEIC`, `mov`); may be empty.
  public let fileExtension: String
  /// Where the bytes are.
  public let location: Location
  /// Bytes as recorded; 0 when not recorded. The file's own size wins wherever there is a file.
  public let recordedSize: Int64
  /// What the library recorded; the disk decides.
  public let availability: Availability

  /// Describes a rendition.
  public init(kind: Kind, fileExtension: String, location: Location, recordedSize: Int64, availability: Availability) {
    self.kind = kind
    self.fileExtension = fileExtension
    self.location = location
    self.recordedSize = recordedSize
    self.availability = availability
  }
}
