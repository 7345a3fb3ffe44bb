import CPlatform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One entry of a folder.
public struct DirectoryEntry: Hashable, Sendable {
  /// Its name.
  public let name: FileName
  /// Its kind when the file system tells it with the name; `nil` asks for a stat.
  public let kind: FileStatus.Kind?

  /// Names an entry.
  public init(name: FileName, kind: FileStatus.Kind?) {
    self.name = name
    self.kind = kind
  }
}

/// Calls on an open folder.
extension Descriptor {
  /// Opens an entry of this folder; never through a link.
  public func open(_ name: FileName, _ options: Options = .read, mode: UInt32 = 0o666) throws(Errno) -> Descriptor {
    let flags = options.rawValue | O_CLOEXEC | O_NOFOLLOW
    return Descriptor(
      owning: try name.withCString { (text) throws(Errno) in try systemOpen(number, text, flags, mode) })
  }

  /// Opens something below this folder: no component may be a link or lead out of it (ELOOP, EXDEV).
  public func open(beneath path: RelativePath, _ options: Options = .read) throws(Errno) -> Descriptor {
    let flags = options.rawValue | O_CLOEXEC | O_NOFOLLOW
    do throws(Errno) {
      return Descriptor(
        owning: try path.bytes.withNULTerminated { (text) throws(Errno) in
          try systemOpenBeneath(number, text, flags, 0o666)
        })
    } catch .notImplemented {
      return try openStepwise(path, options)  // Kernels before 5.6, Darwin.
    }
  }

  /// One folder after the other, none of them a link: what openat2 does, where it is absent.
  private func openStepwise(_ path: RelativePath, _ options: Options) throws(Errno) -> Descriptor {
    guard let last = path.name else { return try duplicate() }
    var folder = try duplicate()
    for name in path.parent.components { folder = try folder.open(name, [.read, .directory]) }
    return try folder.open(last, options)
  }

  /// What stat says of an entry; a link is not followed.
  public func status(of name: FileName) throws(Errno) -> FileStatus {
    try name.withCString { (text) throws(Errno) in try systemStatus(number, text) }
  }

  /// Makes a folder.
  public func makeDirectory(_ name: FileName, mode: UInt32 = 0o777) throws(Errno) {
    try name.withCString { (text) throws(Errno) in _ = try checked { mkdirat(number, text, mode_t(mode)) } }
  }

  /// Removes a file or link.
  public func removeFile(_ name: FileName) throws(Errno) {
    try name.withCString { (text) throws(Errno) in _ = try checked { unlinkat(number, text, 0) } }
  }

  /// Removes an empty folder.
  public func removeDirectory(_ name: FileName) throws(Errno) {
    try name.withCString { (text) throws(Errno) in _ = try checked { unlinkat(number, text, AT_REMOVEDIR) } }
  }

  /// What a rename does when the new name is taken (renameat2(2)).
  public enum RenameRule: UInt32, Sendable {
    /// Replaces the file of that name.
    case replace = 0
    /// Fails with EEXIST.
    case noReplace = 1
    /// Swaps the two.
    case exchange = 2
  }

  /// Gives an entry of this folder a new name in `target`.
  public func rename(
    _ old: FileName, to new: FileName, in target: borrowing Descriptor, _ rule: RenameRule = .replace
  ) throws(Errno) {
    let targetNumber = target.number
    try old.withCString { (oldText) throws(Errno) in
      try new.withCString { (newText) throws(Errno) in
        try systemRename(number, oldText, targetNumber, newText, rule.rawValue)
      }
    }
  }

  /// Sets the times of an entry without opening it.
  public func setTimes(of name: FileName, accessed: TimeChange, modified: TimeChange) throws(Errno) {
    try name.withCString { (text) throws(Errno) in try systemUpdateTimes(number, text, accessed, modified) }
  }

  /// All entries but `.` and `..`, in the file system's order. A listing that breaks off throws: half a listing is no
  /// listing.
  public func entries() throws(Errno) -> [DirectoryEntry] {
    let own = try checked { openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard let stream = fdopendir(own) else {
      let error = Errno.current
      try? systemClose(own)
      throw error
    }
    defer { closedir(stream) }
    var result: [DirectoryEntry] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw Errno.current }
        return result
      }
      guard let name = FileName(bytes: entry.nameBytes) else { continue }
      result.append(DirectoryEntry(name: name, kind: entry.kind))
    }
  }
}

extension UnsafeMutablePointer<dirent> {
  fileprivate var nameBytes: [UInt8] {
    withUnsafePointer(to: &pointee.d_name) { field in
      field.withMemoryRebound(to: UInt8.self, capacity: MemoryLayout.size(ofValue: pointee.d_name)) { bytes in
        Array(
          UnsafeBufferPointer(start: bytes, count: strlen(UnsafeRawPointer(bytes).assumingMemoryBound(to: CChar.self))))
      }
    }
  }

  fileprivate var kind: FileStatus.Kind? {
    switch Int(pointee.d_type) {
    case Int(DT_REG): .file
    case Int(DT_DIR): .directory
    case Int(DT_LNK): .symbolicLink
    case Int(DT_UNKNOWN): nil
    default: .special
    }
  }
}
