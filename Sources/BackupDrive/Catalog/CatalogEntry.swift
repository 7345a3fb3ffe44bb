import Platform

/// What the catalog knows of one file on the drive.
public struct CatalogEntry: Hashable, Sendable {
  /// Where it is, as the drive spells it, below the backup folder.
  public var path: RelativePath
  /// The asset of the library that it is a copy of; `nil` when whoever copied it did not say.
  public var asset: String?
  /// Bytes.
  public var size: Int64
  /// The time of last change as the drive gives it (exFAT rounds it; the exact one is in the sidecar).
  public var modified: Timestamp
  /// `nil` until the file was read for the first time.
  public var hash: ContentHash?
  /// Seconds since 1970 at which the catalog took the file in.
  public var recorded: Int64

  /// Describes a file.
  public init(
    path: RelativePath, asset: String? = nil, size: Int64, modified: Timestamp, hash: ContentHash? = nil,
    recorded: Int64 = Timestamp.now.seconds
  ) {
    self.path = path
    self.asset = asset
    self.size = size
    self.modified = modified
    self.hash = hash
    self.recorded = recorded
  }

  /// Whether a file has the size and time that are recorded: all that can be seen without reading it.
  public func looksLike(_ status: FileStatus) -> Bool { size == status.size && modified == status.modified }
}

/// Why the catalog cannot be used, in one line for people.
public enum CatalogError: Error, Sendable {
  /// It is no catalog of ours, or a damaged one: it will be set aside and made anew.
  case damaged(String)
  /// It, or the drive, cannot be read or written now.
  case failed(String)
}

extension CatalogError: CustomStringConvertible {
  /// One line without a full stop.
  public var description: String {
    switch self {
    case .damaged(let reason): "the catalog is damaged: \(reason)"
    case .failed(let reason): "cannot use the catalog: \(reason)"
    }
  }
}
