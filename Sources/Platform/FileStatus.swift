#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What stat(2) says of a file.
public struct FileStatus: Hashable, Sendable {
  /// What kind of file it is.
  public enum Kind: Hashable, Sendable {
    /// A regular file.
    case file
    /// A folder.
    case directory
    /// A symbolic link.
    case symbolicLink
    /// A pipe, socket or device.
    case special
  }

  /// File, folder, link or special.
  public var kind: Kind
  /// Bytes.
  public var size: Int64
  /// Blocks of 512 bytes that it takes on the medium.
  public var blocks: Int64
  /// Type and permission bits.
  public var mode: UInt32
  /// The owner's number.
  public var userID: UInt32
  /// The group's number.
  public var groupID: UInt32
  /// The file's number on its file system.
  public var inode: UInt64
  /// The file system's number.
  public var device: UInt64
  /// Number of names.
  public var links: UInt64
  /// Last read.
  public var accessed: Timestamp
  /// Last change of content.
  public var modified: Timestamp
  /// Last change of content or attributes.
  public var changed: Timestamp

  /// Takes over the C structure.
  public init(_ value: stat) {
    switch value.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .directory
    case S_IFLNK: kind = .symbolicLink
    default: kind = .special
    }
    size = Int64(value.st_size)
    blocks = Int64(value.st_blocks)
    mode = UInt32(value.st_mode)
    userID = value.st_uid
    groupID = value.st_gid
    inode = UInt64(value.st_ino)
    device = UInt64(truncatingIfNeeded: value.st_dev)
    links = UInt64(value.st_nlink)
    #if os(Linux)
      accessed = Timestamp(value.st_atim)
      modified = Timestamp(value.st_mtim)
      changed = Timestamp(value.st_ctim)
    #else
      accessed = Timestamp(value.st_atimespec)
      modified = Timestamp(value.st_mtimespec)
      changed = Timestamp(value.st_ctimespec)
    #endif
  }

  /// Whether both describe the same file on the same file system.
  public func isSameFile(as other: FileStatus) -> Bool { inode == other.inode && device == other.device }
}
