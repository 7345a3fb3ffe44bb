#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The kernel's memory of files, and where a file is.
extension Descriptor {
  /// Asks the kernel to forget what it remembers of the file's content, so that the next read comes from the medium
  /// (posix_fadvise(2)). What was written and is not yet on the medium stays; so does what the drive itself remembers.
  /// Nothing where the system has no such call.
  public func dropCache() {
    #if os(Linux)
      _ = posix_fadvise(number, 0, 0, POSIX_FADV_DONTNEED)
    #endif
  }

  /// Tells the kernel that the file will be read from its beginning to its end.
  public func expectSequentialReads() {
    #if os(Linux)
      _ = posix_fadvise(number, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
  }

  /// The absolute path that an open folder has now; ENOENT when it was removed. For libraries that open by path: it may be
  /// moved the next moment, so what was opened must be compared with this folder.
  public func path() throws(Errno) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let capacity = buffer.count - 1
    let number = self.number
    #if os(Linux)
      _ = try checked { readlink("/proc/self/fd/\(number)", &buffer, capacity) }
    #else
      _ = try checked { fcntl(number, F_GETPATH, &buffer) }
    #endif
    let bytes = buffer.prefix(capacity).prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .illegalSequence }
    let found = try Descriptor.open(text, [.read, .directory])
    guard try found.status().isSameFile(as: status()) else { throw .noSuchFile }
    return text
  }
}
