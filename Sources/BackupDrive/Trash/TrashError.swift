import Platform

/// Why something could not be trashed, restored or deleted.
public struct TrashError: Error, Sendable {
  /// What kind of failure it is.
  public enum Reason: Hashable, Sendable {
    /// The trash folder, or a folder in it, is a link or no folder.
    case unsafeFolder
    /// The trash holds no such item.
    case noSuchItem
    /// The item's info file is damaged or names a place outside the drive.
    case badInfo
    /// Something is at the place to which an item would return.
    case placeTaken
    /// The caller asked to stop.
    case cancelled
    /// The system refused.
    case system
  }

  /// The kind.
  public let reason: Reason
  /// What was tried, as an infinitive: "move to the trash".
  public let action: String
  /// On what: a path on the drive or a name in the trash.
  public let path: String
  /// The system's reason, or the nearest to it.
  public let errno: Errno

  init(_ reason: Reason, _ action: String, _ path: some CustomStringConvertible, _ errno: Errno) {
    self.reason = reason
    self.action = action
    self.path = path.description
    self.errno = errno
  }
}

extension TrashError: CustomStringConvertible {
  /// One line for people, without a full stop.
  public var description: String {
    switch reason {
    case .unsafeFolder: "cannot \(action) \(path): the drive's trash is a link or no folder; remove or rename it"
    case .noSuchItem: "cannot \(action) \(path): there is no such item in the trash"
    case .badInfo: "cannot \(action) \(path): its .trashinfo file is damaged; move the file out of the trash by hand"
    case .placeTaken: "cannot \(action) \(path): something of that name is there; move it away first"
    case .cancelled: "cannot \(action) \(path): cancelled"
    case .system: "cannot \(action) \(path): \(errno)"
    }
  }
}
