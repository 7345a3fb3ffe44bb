#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Everything below a folder: names by bytes, kinds, sizes, times and a hash of each file's bytes. Two are equal exactly
/// when nothing was changed, added or removed.
struct TreeDigest: Equatable {
  struct Entry: Equatable {
    let mode: UInt32
    let size: Int64
    /// Nanoseconds since 1970; `nil` when times are not compared.
    let modified: Int64?
    let hash: UInt64
  }

  /// By path relative to the folder.
  private(set) var entries: [[UInt8]: Entry] = [:]

  /// Reads everything below `path`.
  init(of path: String, times: Bool = true) throws {
    try read(Array(path.utf8), prefix: [], times: times)
  }

  /// Paths as text, sorted.
  var paths: [String] { entries.keys.map { String(decoding: $0, as: UTF8.self) }.sorted() }

  /// What differs, for a message.
  func difference(from other: TreeDigest) -> [String] {
    Set(entries.keys).union(other.entries.keys).filter { entries[$0] != other.entries[$0] }.map {
      String(decoding: $0, as: UTF8.self)
    }.sorted()
  }

  private mutating func read(_ folder: [UInt8], prefix: [UInt8], times: Bool) throws {
    for name in try FolderListing.names(folder) {
      let path = folder + [0x2F] + name
      let relative = prefix.isEmpty ? name : prefix + [0x2F] + name
      var status = stat()
      guard lstat(path.map { CChar(bitPattern: $0) } + [0], &status) == 0 else { throw FailedCall(errno) }
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      let isFile = status.st_mode & S_IFMT == S_IFREG
      let modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
      let hash = isFile ? Self.hash(try FileContents.read(String(decoding: path, as: UTF8.self))) : 0
      entries[relative] = Entry(
        mode: UInt32(status.st_mode), size: isFolder ? 0 : Int64(status.st_size), modified: times ? modified : nil,
        hash: hash)
      if isFolder { try read(path, prefix: relative, times: times) }
    }
  }

  /// FNV-1a over words of eight bytes: told apart is told apart, and that is all it is for.
  static func hash(_ bytes: [UInt8]) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(bytes.count)
    bytes.withUnsafeBytes { buffer in
      var offset = 0
      while offset + 8 <= buffer.count {
        hash = (hash ^ buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x0000_0100_0000_01B3
        hash ^= hash >> 29
        offset += 8
      }
      for byte in buffer[offset...] { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
    return hash
  }
}

/// Names in a folder.
enum FolderListing {
  /// In the order in which the file system gives them, without `.` and `..`.
  static func names(_ path: [UInt8]) throws -> [[UInt8]] {
    guard let folder = opendir(path.map { CChar(bitPattern: $0) } + [0]) else { throw FailedCall(errno) }
    defer { closedir(folder) }
    var names: [[UInt8]] = []
    errno = 0
    while let entry = readdir(folder) {
      // Longer than the field where a file system's names are: the record goes on.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        let start = UnsafeRawPointer(field)
        let count = strlen(start.assumingMemoryBound(to: CChar.self))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
      }
      if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw FailedCall(errno) }
    return names
  }

  /// As text.
  static func names(_ path: String) throws -> [String] {
    try names(Array(path.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Regular files below `path`, as paths relative to it, sorted; `skip` leaves out a folder of the top.
  static func files(below path: String, skip: String? = nil) throws -> [String] {
    var found: [String] = []
    for name in try names(path) where name != skip {
      var status = stat()
      guard lstat("\(path)/\(name)", &status) == 0 else { throw FailedCall(errno) }
      if status.st_mode & S_IFMT == S_IFDIR {
        found += try files(below: "\(path)/\(name)").map { "\(name)/\($0)" }
      } else {
        found.append(name)
      }
    }
    return found.sorted()
  }
}
