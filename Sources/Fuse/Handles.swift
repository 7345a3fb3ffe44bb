import Platform

/// Bytes for a reader.
public enum ReadReply {
  /// Straight from an open file, spliced where the kernel can. The descriptor must stay open as long as the handle.
  case descriptor(Int32, offset: Int64, count: Int)
  /// From memory.
  case bytes([UInt8])
}

/// An open file: one open(2), shared by the descriptors that were duplicated from it.
///
/// Methods are called from many threads at once.
public protocol FileHandle: AnyObject, Sendable {
  /// pread(2): fewer than `count` bytes only at the end of the file.
  func read(count: Int, at offset: Int64, _ request: Request) throws(Errno) -> ReadReply
  /// pwrite(2) of all bytes.
  func write(_ data: borrowing WriteData, at offset: Int64, _ request: Request) throws(Errno)
  /// One descriptor is closed; comes once for each duplicate. An error reaches that close(2).
  func flush(_ request: Request) throws(Errno)
  /// fsync(2).
  func synchronize(_ request: Request) throws(Errno)
  /// fallocate(2); `mode` as there.
  func allocate(mode: Int32, offset: Int64, count: Int64, _ request: Request) throws(Errno)
  /// The last descriptor and mapping are gone. Nobody sees an error any more.
  func release()
}

/// What a handle that only reads answers.
extension FileHandle {
  /// EBADF.
  public func write(_ data: borrowing WriteData, at offset: Int64, _ request: Request) throws(Errno) {
    throw .badDescriptor
  }
  /// Nothing is pending.
  public func flush(_ request: Request) throws(Errno) {}
  /// Nothing is pending.
  public func synchronize(_ request: Request) throws(Errno) {}
  /// ENOTSUP.
  public func allocate(mode: Int32, offset: Int64, count: Int64, _ request: Request) throws(Errno) {
    throw .notSupported
  }
  /// Nothing to give back.
  public func release() {}
}

/// An open folder: a listing fixed when it was opened, without `.` and `..`.
public protocol DirectoryHandle: AnyObject, Sendable {
  /// The folder itself and the one above it, for `.` and `..`.
  var ownInodes: (own: InodeNumber, parent: InodeNumber) { get }
  /// Number of names.
  var count: Int { get }
  /// A name with its number and kind, for plain readdir. No reference is taken.
  func item(at index: Int) -> (name: FileName, inode: InodeNumber, kind: FileStatus.Kind)
  /// The full answer for a name, one reference of the kernel; `nil` when it is gone meanwhile or cannot be asked now.
  func entry(at index: Int, _ request: Request) -> Entry?
  /// closedir(3).
  func release()
}

extension DirectoryHandle {
  /// Nothing to give back.
  public func release() {}
}

/// Carries a handle through the kernel as a number.
final class HandleBox<Value: Sendable>: Sendable {
  let value: Value
  private init(_ value: Value) { self.value = value }

  static func number(owning value: Value) -> UInt64 {
    UInt64(UInt(bitPattern: Unmanaged.passRetained(HandleBox(value)).toOpaque()))
  }

  /// `nil` for 0, which no open ever returned.
  static func value(_ number: UInt64) -> Value? {
    UnsafeRawPointer(bitPattern: UInt(number)).map {
      Unmanaged<HandleBox<Value>>.fromOpaque($0).takeUnretainedValue().value
    }
  }

  static func take(_ number: UInt64) -> Value? {
    UnsafeRawPointer(bitPattern: UInt(number)).map {
      Unmanaged<HandleBox<Value>>.fromOpaque($0).takeRetainedValue().value
    }
  }
}
