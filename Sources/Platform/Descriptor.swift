import CPlatform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The one owner of an open file or folder; closes it at the end of its life.
///
/// All methods may be called from any thread. Offsets and sizes are bytes.
public struct Descriptor: ~Copyable, Sendable {
  /// The number, valid as long as this value lives. For calls that only borrow it.
  public let number: Int32

  /// Takes over an open descriptor.
  public init(owning number: Int32) { self.number = number }

  deinit {
    // Errors that matter are those of `synchronize()` and of writes, which are always awaited before.
    try? systemClose(number)
  }

  /// How a file is opened (open(2)); O_CLOEXEC always.
  public struct Options: OptionSet, Sendable {
    /// The C flags.
    public let rawValue: Int32
    /// Wraps C flags.
    public init(rawValue: Int32) { self.rawValue = rawValue }
    /// For reading.
    public static let read: Options = []
    /// For writing.
    public static let write = Options(rawValue: O_WRONLY)
    /// For both.
    public static let readWrite = Options(rawValue: O_RDWR)
    /// Make it when it is not there.
    public static let create = Options(rawValue: O_CREAT)
    /// With `create`: fail with EEXIST when it is there.
    public static let exclusive = Options(rawValue: O_EXCL)
    /// Empty it.
    public static let truncate = Options(rawValue: O_TRUNC)
    /// Only if it is a folder.
    public static let directory = Options(rawValue: O_DIRECTORY)
    /// Do not follow a link in the last component (ELOOP).
    public static let noFollow = Options(rawValue: O_NOFOLLOW)
    /// Never wait for the other end of a pipe.
    public static let nonBlocking = Options(rawValue: O_NONBLOCK)
    #if os(Linux)
      /// Only to ask for its status: needs no permission to read and wakes no device (O_PATH).
      public static let statusOnly = Options(rawValue: FOLDIC_O_PATH)
    #else
      /// Only to ask for its status.
      public static let statusOnly = nonBlocking
    #endif
  }

  /// Opens a path as the user named it, relative to the working folder; links are followed.
  public static func open(
    _ path: String, _ options: Options = .read, mode: UInt32 = 0o666
  ) throws(Errno) -> Descriptor {
    guard !path.utf8.contains(0) else { throw .invalid }
    return Descriptor(
      owning: try Array(path.utf8).withNULTerminated { (text) throws(Errno) in
        try systemOpen(AT_FDCWD, text, options.rawValue | O_CLOEXEC, mode)
      })
  }

  // MARK: - Content

  /// Reads up to `buffer.count` bytes; 0 at the end of the file.
  public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    try checked { pread(number, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  /// Reads `count` bytes from `offset`, fewer only at the end of the file.
  public func read(count: Int, at offset: Int64) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let position = filled
      var got = 0
      var failure: Errno?
      bytes.withUnsafeMutableBytes { raw in
        do throws(Errno) {
          let rest = UnsafeMutableRawBufferPointer(rebasing: raw[position...])
          got = try read(into: rest, at: offset + Int64(position))
        } catch { failure = error }
      }
      if let failure { throw failure }
      if got == 0 { break }
      filled += got
    }
    bytes.removeLast(count - filled)
    return bytes
  }

  /// Writes all of `buffer`; what was written when an error is thrown is undefined.
  public func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
    var done = 0
    while done < buffer.count {
      let written = try checked {
        pwrite(number, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset) + off_t(done))
      }
      if written == 0 { throw .noSpace }
      done += written
    }
  }

  /// Writes all bytes at `offset`.
  public func write(_ bytes: [UInt8], at offset: Int64 = 0) throws(Errno) {
    var failure: Errno?
    bytes.withUnsafeBytes { raw in
      do throws(Errno) { try write(raw, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Cuts or grows the file to `size`.
  public func truncate(to size: Int64) throws(Errno) {
    _ = try checked { ftruncate(number, off_t(size)) }
  }

  /// Returns when data and metadata are on the medium: fsync(2), F_FULLFSYNC on Darwin. Of a folder: its entries.
  public func synchronize() throws(Errno) { try systemSynchronize(number) }

  // MARK: - Attributes

  /// What fstat(2) says.
  public func status() throws(Errno) -> FileStatus { try systemStatus(number) }

  /// Sets both times.
  public func setTimes(accessed: TimeChange, modified: TimeChange) throws(Errno) {
    try systemUpdateTimes(number, accessed, modified)
  }

  /// A second owner of the same open file (shares offset and locks).
  public func duplicate() throws(Errno) -> Descriptor {
    Descriptor(owning: try checked { fcntl(number, F_DUPFD_CLOEXEC, 3) })
  }
}
