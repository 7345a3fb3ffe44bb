import Platform

/// A file system that a `Session` serves.
///
/// Operations are called on libfuse's threads, many at once, and may block: another thread takes the next request. An
/// `Errno` that is thrown is the answer. Every returned `Entry` (of `lookup`, `create`, … and of directory listings) is
/// one reference of the kernel on that inode, which `forget` takes back.
public protocol FileSystem: AnyObject, Sendable {
  /// The connection stands; requests follow.
  func started(_ connection: Connection)

  /// Finds a name in a folder.
  func lookup(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) -> Entry
  /// The kernel drops `count` references.
  func forget(_ inode: InodeNumber, count: UInt64)
  /// stat(2).
  func attributes(of inode: InodeNumber, _ request: Request) throws(Errno) -> (FileAttributes, timeout: Double)
  /// chmod, chown, truncate, utimensat; returns the attributes afterwards. `file` when the caller has the file open.
  func setAttributes(
    of inode: InodeNumber, _ change: AttributeChange, file: (any FileHandle)?, _ request: Request
  ) throws(Errno) -> (FileAttributes, timeout: Double)
  /// The target of a symbolic link.
  func readLink(_ inode: InodeNumber, _ request: Request) throws(Errno) -> [UInt8]

  /// Makes an empty regular file without opening it (mknod(2)).
  func makeFile(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) -> Entry
  /// mkdir(2).
  func makeDirectory(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) -> Entry
  /// unlink(2).
  func removeFile(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno)
  /// rmdir(2).
  func removeDirectory(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno)
  /// renameat2(2); `flags` as there.
  func rename(
    _ old: FileName, in oldParent: InodeNumber, to new: FileName, in newParent: InodeNumber, flags: RenameFlags,
    _ request: Request
  ) throws(Errno)

  /// open(2) of a file that exists.
  func open(_ inode: InodeNumber, _ mode: OpenMode, _ request: Request) throws(Errno) -> OpenedFile
  /// open(2) with O_CREAT of a name that the kernel does not know yet.
  func create(
    _ name: FileName, in parent: InodeNumber, _ mode: OpenMode, _ request: Request
  ) throws(Errno) -> (Entry, OpenedFile)
  /// opendir(3).
  func openDirectory(_ inode: InodeNumber, _ request: Request) throws(Errno) -> OpenedDirectory
  /// fsync(2) of a folder.
  func synchronizeDirectory(_ inode: InodeNumber, _ request: Request) throws(Errno)

  /// statvfs(3).
  func statistics(of inode: InodeNumber, _ request: Request) throws(Errno) -> VolumeStatistics
  /// getxattr(2); the name's bytes.
  func attribute(_ name: [UInt8], of inode: InodeNumber, _ request: Request) throws(Errno) -> [UInt8]
  /// listxattr(2).
  func attributeNames(of inode: InodeNumber, _ request: Request) throws(Errno) -> [[UInt8]]
  /// setxattr(2).
  func setAttribute(
    _ name: [UInt8], of inode: InodeNumber, to value: [UInt8], rule: AttributeRule, _ request: Request
  ) throws(Errno)
  /// removexattr(2).
  func removeAttribute(_ name: [UInt8], of inode: InodeNumber, _ request: Request) throws(Errno)
}

/// What a file system without writing answers.
extension FileSystem {
  /// Nothing to do.
  public func started(_ connection: Connection) {}
  /// Nothing is counted.
  public func forget(_ inode: InodeNumber, count: UInt64) {}
  /// EROFS.
  public func setAttributes(
    of inode: InodeNumber, _ change: AttributeChange, file: (any FileHandle)?, _ request: Request
  ) throws(Errno) -> (FileAttributes, timeout: Double) { throw .readOnly }
  /// EINVAL: no link.
  public func readLink(_ inode: InodeNumber, _ request: Request) throws(Errno) -> [UInt8] { throw .invalid }
  /// EROFS.
  public func makeFile(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) -> Entry {
    throw .readOnly
  }
  /// EROFS.
  public func makeDirectory(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) -> Entry {
    throw .readOnly
  }
  /// EROFS.
  public func removeFile(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) { throw .readOnly }
  /// EROFS.
  public func removeDirectory(_ name: FileName, in parent: InodeNumber, _ request: Request) throws(Errno) {
    throw .readOnly
  }
  /// EROFS.
  public func rename(
    _ old: FileName, in oldParent: InodeNumber, to new: FileName, in newParent: InodeNumber, flags: RenameFlags,
    _ request: Request
  ) throws(Errno) { throw .readOnly }
  /// EROFS.
  public func create(
    _ name: FileName, in parent: InodeNumber, _ mode: OpenMode, _ request: Request
  ) throws(Errno) -> (Entry, OpenedFile) { throw .readOnly }
  /// Nothing is pending.
  public func synchronizeDirectory(_ inode: InodeNumber, _ request: Request) throws(Errno) {}
  /// No such attribute.
  public func attribute(_ name: [UInt8], of inode: InodeNumber, _ request: Request) throws(Errno) -> [UInt8] {
    throw .noAttribute
  }
  /// None.
  public func attributeNames(of inode: InodeNumber, _ request: Request) throws(Errno) -> [[UInt8]] { [] }
  /// EROFS.
  public func setAttribute(
    _ name: [UInt8], of inode: InodeNumber, to value: [UInt8], rule: AttributeRule, _ request: Request
  ) throws(Errno) { throw .readOnly }
  /// EROFS.
  public func removeAttribute(_ name: [UInt8], of inode: InodeNumber, _ request: Request) throws(Errno) {
    throw .readOnly
  }
}
