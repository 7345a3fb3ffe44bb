import Platform

/// How the mount presents itself.
public struct MountSettings: Sendable {
  /// Owner of everything shown.
  public var userID: UInt32
  /// Group of everything shown.
  public var groupID: UInt32
  /// Permission bits taken away from everything shown.
  public var umask: UInt32
  /// When what is written to `Backup/` is committed.
  public var commit = CommitMoment.close
  /// Where warnings go.
  public var log: @Sendable (String) -> Void

  /// Describes a mount.
  public init(userID: UInt32, groupID: UInt32, umask: UInt32, log: @escaping @Sendable (String) -> Void) {
    self.userID = userID
    self.groupID = groupID
    self.umask = umask
    self.log = log
  }

  /// When a file in `Backup/` is made durable under its name.
  public enum CommitMoment: String, Sendable, CaseIterable {
    /// Before close(2) returns.
    case close
    /// Before fsync(2) returns; after the last close in the background, with errors that go to the log only.
    case fsync
  }

  /// Seconds for which the kernel may believe what it was told of the library: one revision does not change.
  static let libraryTimeout = 3600.0
  /// Seconds for `Backup/`: the drive may be changed beside the mount.
  static let backupTimeout = 1.0
}
