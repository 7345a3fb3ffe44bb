import CPlatform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whole files, by path.
enum FileContents {
  /// The bytes of a file; throws the error number of whatever call failed.
  static func read(_ path: String) throws(FailedCall) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FailedCall(errno) }
    defer { close(descriptor) }
    var status = stat()
    fstat(descriptor, &status)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(max(0, status.st_size)))
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, off_t(bytes.count))
      guard count >= 0 else { throw FailedCall(errno) }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Writes a new file or replaces what is there.
  static func write(_ bytes: [UInt8], to path: String) throws(FailedCall) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw FailedCall(errno) }
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { systemWrite(descriptor, $0) }
      guard count > 0 else {
        let code = errno
        close(descriptor)
        throw FailedCall(code)
      }
      done += count
    }
    guard close(descriptor) == 0 else { throw FailedCall(errno) }
  }

  /// Writes text.
  static func write(_ text: String, to path: String) throws(FailedCall) { try write(Array(text.utf8), to: path) }

  /// Whether it is there and no link, folder or device.
  static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether two files hold the same bytes.
  static func areEqual(_ left: String, _ right: String) throws(FailedCall) -> Bool {
    let left = try read(left)
    let right = try read(right)
    return left.withUnsafeBytes { one in
      right.withUnsafeBytes { other in
        guard one.count == other.count else { return false }
        guard let first = one.baseAddress, let second = other.baseAddress else { return true }
        return memcmp(first, second, one.count) == 0
      }
    }
  }

  /// The error number of opening for reading; 0 when it opens.
  static func openError(_ path: String) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    close(descriptor)
    return 0
  }

  /// Whether anything is there.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// An extended attribute as text; `nil` when there is none.
  static func attribute(_ name: String, of path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = lgetxattr(path, name, &buffer, buffer.count)
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }

  /// Free bytes of the file system at `path`.
  static func freeSpace(_ path: String) throws(FailedCall) -> Int64 {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw FailedCall(errno) }
    return Int64(status.f_bfree) * Int64(status.f_frsize)
  }

  private static func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, buffer.baseAddress, buffer.count)
    #else
      Darwin.write(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }
}

/// The error number of a failed call.
struct FailedCall: Error, CustomStringConvertible {
  let code: Int32
  init(_ code: Int32) { self.code = code }
  var description: String { String(cString: strerror(code)) }
}
