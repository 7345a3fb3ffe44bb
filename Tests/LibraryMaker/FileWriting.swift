#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why a sample library could not be written.
public struct LibraryMakerError: Error, CustomStringConvertible, Sendable {
  /// One line: what failed, which file, why.
  public let description: String

  init(_ description: String) { self.description = description }

  init(_ action: String, path: String, errno code: Int32 = errno) {
    description = "cannot \(action) \(path): \(String(cString: strerror(code)))"
  }
}

/// Files of a sample library; plain calls, since this target stands beside the product and not upon it.
enum FileWriting {
  /// Makes a folder and those above it.
  static func makeFolder(_ path: String) throws(LibraryMakerError) {
    if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw LibraryMakerError("make folder", path: path)
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw LibraryMakerError("make folder", path: path) }
  }

  /// Writes `bytes`, then `filler` bytes: random ones, or a hole when `sparse`. Sets the time when `modified` is given.
  static func write(
    _ bytes: [UInt8], filler: Int64 = 0, sparse: Bool = false, to path: String, modified: Double? = nil,
    using generator: inout SeededGenerator
  ) throws(LibraryMakerError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw LibraryMakerError("create", path: path) }
    defer { close(descriptor) }
    try write(bytes, to: descriptor, path: path)
    if filler > 0, sparse {
      guard ftruncate(descriptor, off_t(Int64(bytes.count) + filler)) == 0 else {
        throw LibraryMakerError("extend", path: path)
      }
    } else if filler > 0 {
      try fill(filler, descriptor, path: path, using: &generator)
    }
    if let modified {
      // Whole milliseconds: the fraction of a Double is no nanosecond.
      let seconds = modified.rounded(.down)
      let time = timespec(
        tv_sec: time_t(seconds), tv_nsec: Int(((modified - seconds) * 1000).rounded(.down)) * 1_000_000)
      guard futimens(descriptor, [time, time]) == 0 else { throw LibraryMakerError("set the time of", path: path) }
    }
  }

  /// Copies a file byte for byte.
  static func copy(_ source: String, to target: String) throws(LibraryMakerError) {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw LibraryMakerError("open", path: source) }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard output >= 0 else { throw LibraryMakerError("create", path: target) }
    defer { close(output) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(input, &buffer, buffer.count)
      guard count >= 0 else { throw LibraryMakerError("read", path: source) }
      guard count > 0 else { return }
      try write(Array(buffer[..<count]), to: output, path: target)
    }
  }

  private static func fill(
    _ count: Int64, _ descriptor: Int32, path: String, using generator: inout SeededGenerator
  ) throws(LibraryMakerError) {
    // One random megabyte, told apart from its repetitions by a number at its start.
    var block: [UInt8] = []
    let size = Int(min(count, 1 << 20))
    while block.count < size { block.append(little: generator.next()) }
    var left = count
    var round: UInt64 = 0
    while left > 0 {
      var part = Array(block[..<Int(min(left, Int64(size)))])
      withUnsafeBytes(of: round) {
        for (index, byte) in $0.enumerated() where index < part.count { part[index] ^= byte }
      }
      try write(part, to: descriptor, path: path)
      left -= Int64(part.count)
      round += 1
    }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(LibraryMakerError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        #if canImport(Glibc)
          Glibc.write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
        #else
          Darwin.write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
        #endif
      }
      guard count > 0 else { throw LibraryMakerError("write", path: path) }
      done += count
    }
  }
}
