import Platform

/// What a library's database files looked like at one time. Equal revisions hold the same content.
public struct LibraryRevision: Hashable, Sendable {
  /// One file, as far as stat tells versions of it apart.
  public struct FileStamp: Hashable, Sendable {
    /// Bytes.
    public let size: Int64
    /// Last change of content.
    public let modified: Timestamp
    /// The file's number on its file system.
    public let inode: UInt64

    init(_ status: FileStatus) {
      size = status.size
      modified = status.modified
      inode = status.inode
    }
  }

  /// The database.
  public let database: FileStamp
  /// Its write-ahead log; `nil` when there is none.
  public let log: FileStamp?
  /// The log's first 32 bytes, which change with every generation of it; empty when there is none.
  public let logHeader: [UInt8]
}
