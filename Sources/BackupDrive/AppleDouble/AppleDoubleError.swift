import Platform

/// Why a sidecar cannot be read or changed.
public enum AppleDoubleError: Error, Hashable, Sendable {
  /// Magic or version are not those of AppleDouble 2, or the file ends inside the header.
  case notAppleDouble
  /// An entry of the header lies outside the file, over the header or over another entry, or there are too many.
  case badEntries
  /// The attribute header or one of its entries breaks a rule of the format.
  case badAttributes
  /// Larger than `AppleDouble.maximumSize`, before or after the change.
  case tooLarge
  /// It holds something that a rewrite would lose; it must be left as it is.
  case foreignData
  /// One attribute more than the 256 which macOS reads.
  case tooManyAttributes
  /// An attribute's name is empty or holds a NUL, or names something that programs may not set.
  case badName
  /// An attribute's name is longer than 127 bytes.
  case nameTooLong
  /// Finder info that is not 32 bytes.
  case badFinderInfo
  /// There is no attribute of that name.
  case noAttribute
  /// There is one already, and it was asked to make a new one.
  case attributeExists
  /// The name belongs to a namespace that a sidecar does not keep (`security.`, `system.`, `trusted.`).
  case foreignNamespace
  /// The file could not be read.
  case system(Errno)

  /// What a program that asked for the change is told.
  public var errno: Errno {
    switch self {
    case .notAppleDouble, .badEntries, .badAttributes: .inputOutput
    case .tooLarge, .tooManyAttributes: .noSpace
    case .foreignData, .badName: .notPermitted
    case .nameTooLong, .badFinderInfo: .range
    case .noAttribute: .noAttribute
    case .attributeExists: .exists
    case .foreignNamespace: .notSupported
    case .system(let errno): errno
    }
  }
}

extension AppleDoubleError: CustomStringConvertible {
  /// The reason in words, without the file's name.
  public var description: String {
    switch self {
    case .notAppleDouble: "not an AppleDouble file"
    case .badEntries: "damaged: its entries do not fit the file"
    case .badAttributes: "damaged: its attributes break the format"
    case .tooLarge: "too large for a sidecar"
    case .foreignData: "holds data that a change would lose, left as it is"
    case .tooManyAttributes: "more attributes than a sidecar holds (256)"
    case .badName: "an attribute cannot have this name"
    case .nameTooLong: "an attribute's name is longer than 127 bytes"
    case .badFinderInfo: "Finder info is not 32 bytes"
    case .noAttribute: "no such attribute"
    case .attributeExists: "the attribute exists already"
    case .foreignNamespace: "attributes of this namespace are not kept"
    case .system(let errno): "\(errno)"
    }
  }
}
