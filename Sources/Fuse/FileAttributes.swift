import CFuse
import Platform

/// What stat(2) shows of a file in the mount.
public struct FileAttributes: Hashable, Sendable {
  /// The inode number, which is also st_ino.
  public var inode: InodeNumber
  /// File, folder or link.
  public var kind: FileStatus.Kind
  /// Permission bits (0o7777).
  public var permissions: UInt32
  /// Bytes.
  public var size: Int64
  /// Blocks of 512 bytes; for `du`.
  public var blocks: Int64
  /// Last read.
  public var accessed: Timestamp
  /// Last change of content.
  public var modified: Timestamp
  /// Last change of content or attributes.
  public var changed: Timestamp
  /// The owner's number.
  public var userID: UInt32
  /// The group's number.
  public var groupID: UInt32
  /// Number of names.
  public var links: UInt32 = 1

  /// Describes a file whose three times are one.
  public init(
    inode: InodeNumber, kind: FileStatus.Kind, permissions: UInt32, size: Int64 = 0, blocks: Int64? = nil,
    time: Timestamp, userID: UInt32, groupID: UInt32
  ) {
    self.inode = inode
    self.kind = kind
    self.permissions = permissions
    self.size = size
    self.blocks = blocks ?? (size + 511) / 512
    accessed = time
    modified = time
    changed = time
    self.userID = userID
    self.groupID = groupID
  }

  var cValue: stat {
    var value = stat()
    value.st_ino = ino_t(inode.rawValue)
    value.st_mode = mode_t(kind.modeBits | permissions & 0o7777)
    value.st_nlink = nlink_t(links)
    value.st_uid = userID
    value.st_gid = groupID
    value.st_size = off_t(size)
    value.st_blocks = blkcnt_t(blocks)
    value.st_blksize = blksize_t(FuseLimits.preferredBlock)
    #if os(Linux)
      value.st_atim = accessed.cValue
      value.st_mtim = modified.cValue
      value.st_ctim = changed.cValue
    #else
      value.st_atimespec = accessed.cValue
      value.st_mtimespec = modified.cValue
      value.st_ctimespec = changed.cValue
    #endif
    return value
  }
}

extension FileStatus.Kind {
  /// The S_IF… bits of st_mode.
  var modeBits: UInt32 {
    switch self {
    case .file: UInt32(S_IFREG)
    case .directory: UInt32(S_IFDIR)
    case .symbolicLink: UInt32(S_IFLNK)
    case .special: UInt32(S_IFIFO)
    }
  }
}

/// A name's answer: which inode, what stat shows of it and how long the kernel may believe both.
public struct Entry: Sendable {
  /// What stat shows; its inode is the entry's.
  public var attributes: FileAttributes
  /// Seconds for which the kernel need not ask for this name again.
  public var entryTimeout: Double
  /// Seconds for which the kernel need not ask for the attributes again.
  public var attributeTimeout: Double

  /// Describes an entry.
  public init(attributes: FileAttributes, entryTimeout: Double, attributeTimeout: Double) {
    self.attributes = attributes
    self.entryTimeout = entryTimeout
    self.attributeTimeout = attributeTimeout
  }

  var cValue: fuse_entry_param {
    var value = fuse_entry_param()
    value.ino = attributes.inode.rawValue
    value.attr = attributes.cValue
    value.entry_timeout = entryTimeout
    value.attr_timeout = attributeTimeout
    return value
  }
}
