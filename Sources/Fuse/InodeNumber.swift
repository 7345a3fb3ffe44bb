/// The number by which the kernel knows a file or folder of the mount.
public struct InodeNumber: RawRepresentable, Hashable, Sendable {
  /// The protocol's nodeid.
  public let rawValue: UInt64
  /// Wraps a nodeid.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  /// The top of the mount (FUSE_ROOT_ID).
  public static let root = InodeNumber(rawValue: 1)
}
