import CFuse
import Platform

/// How a file is opened; access rights are checked by the kernel.
public struct OpenMode: Sendable {
  /// The flags of open(2).
  public let flags: Int32
  init(flags: Int32) { self.flags = flags }
  /// O_RDONLY or O_RDWR.
  public var reads: Bool { flags & O_ACCMODE != O_WRONLY }
  /// O_WRONLY or O_RDWR.
  public var writes: Bool { flags & O_ACCMODE != O_RDONLY }
  /// O_TRUNC.
  public var truncates: Bool { flags & O_TRUNC != 0 }
  /// O_APPEND.
  public var appends: Bool { flags & O_APPEND != 0 }
  /// O_EXCL.
  public var isExclusive: Bool { flags & O_EXCL != 0 }
}

/// Flags of renameat2(2).
public struct RenameFlags: OptionSet, Sendable {
  /// The C flags.
  public let rawValue: UInt32
  /// Wraps C flags.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// RENAME_NOREPLACE: EEXIST when the new name is taken.
  public static let noReplace = RenameFlags(rawValue: 1)
  /// RENAME_EXCHANGE: swap the two.
  public static let exchange = RenameFlags(rawValue: 2)
  /// RENAME_WHITEOUT: leave a whiteout (for overlays).
  public static let whiteout = RenameFlags(rawValue: 4)
}

/// What setxattr(2) does with a name that is there, or not.
public enum AttributeRule: Sendable {
  /// Make or replace.
  case set
  /// Only make (XATTR_CREATE).
  case create
  /// Only replace (XATTR_REPLACE).
  case replace
}

/// The parts of a file's attributes that a caller wants changed.
public struct AttributeChange: Sendable {
  /// New size in bytes.
  public var size: Int64?
  /// New permission bits.
  public var permissions: UInt32?
  /// New owner.
  public var userID: UInt32?
  /// New group.
  public var groupID: UInt32?
  /// Access time.
  public var accessed: TimeChange = .keep
  /// Modification time.
  public var modified: TimeChange = .keep

  init(_ attributes: stat, changed: Int32) {
    func has(_ bit: Int32) -> Bool { changed & (1 << bit) != 0 }
    if has(0) { permissions = UInt32(attributes.st_mode) & 0o7777 }
    if has(1) { userID = attributes.st_uid }
    if has(2) { groupID = attributes.st_gid }
    if has(3) { size = Int64(attributes.st_size) }
    #if os(Linux)
      let (access, modification) = (attributes.st_atim, attributes.st_mtim)
    #else
      let (access, modification) = (attributes.st_atimespec, attributes.st_mtimespec)
    #endif
    if has(4) { accessed = has(7) ? .now : .set(Timestamp(access)) }
    if has(5) { modified = has(8) ? .now : .set(Timestamp(modification)) }
  }
}

/// The answer to open(2).
public struct OpenedFile: Sendable {
  /// Serves the descriptor until it is released.
  public let file: any FileHandle
  /// Pages that the kernel holds of an earlier open are still right.
  public var keepsCache: Bool
  /// Reads and writes go to the process, past the page cache.
  public var isDirect: Bool

  /// Describes an opened file.
  public init(_ file: any FileHandle, keepsCache: Bool = false, isDirect: Bool = false) {
    self.file = file
    self.keepsCache = keepsCache
    self.isDirect = isDirect
  }
}

/// The answer to opendir(3).
public struct OpenedDirectory: Sendable {
  /// Serves the listing until it is released.
  public let directory: any DirectoryHandle
  /// The kernel may keep the listing, until told otherwise.
  public var isCached: Bool

  /// Describes an opened folder.
  public init(_ directory: any DirectoryHandle, isCached: Bool = false) {
    self.directory = directory
    self.isCached = isCached
  }
}
