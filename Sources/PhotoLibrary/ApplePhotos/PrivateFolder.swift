import Platform

/// A folder for a copy that only this user may see; goes at the end of its life. Left-overs of processes that were
/// killed are told by their lock, which ends with the process.
final class PrivateFolder: Sendable {
  /// Absolute path.
  let path: String
  let descriptor: Descriptor
  private let name: FileName
  private let base: Descriptor
  /// Locked as long as this lives.
  private let lock: Descriptor

  private static let prefix = "foldicfs-library-"
  private static let lockName: FileName = FileName("lock")

  /// The places that are tried, in this order: memory first, which is gone with the session.
  static var bases: [String] {
    ["XDG_RUNTIME_DIR", "TMPDIR"].compactMap(ProcessEnvironment.value) + ["/var/tmp", "/tmp"]
  }

  /// Makes a folder where `bytes` bytes fit, in the first of `bases` where one can be made.
  static func make(for bytes: Int64, in bases: [String] = PrivateFolder.bases) throws(FileError) -> PrivateFolder {
    var failure = FileError("copy the database to", path: bases.first ?? "/var/tmp", errno: .noSuchFile)
    for base in bases {
      do throws(Errno) {
        // SQLite is told to follow no link, and some systems have one in the way to their temporary folders.
        let base = try AbsolutePath.resolve(base)
        let folder = try Descriptor.open(base, [.read, .directory])
        guard try folder.volumeStatistics().availableBytes > bytes else { throw .noSpace }
        return try PrivateFolder(in: base, folder)
      } catch {
        failure = FileError(
          "copy the database to", path: base, errno: error, advice: "set TMPDIR to a folder with \(bytes >> 20) MB free"
        )
      }
    }
    throw failure
  }

  private init(in basePath: String, _ base: borrowing Descriptor) throws(Errno) {
    while true {
      let text = Self.prefix + RandomID.hex(16)
      guard let name = FileName(text) else { throw .invalid }
      try base.makeDirectory(name, mode: 0o700)
      let folder = try base.open(name, [.read, .directory])
      let lock = try folder.open(Self.lockName, [.readWrite, .create, .exclusive], mode: 0o600)
      // Another start may have taken the unlocked folder for a left-over in between.
      guard try lock.tryLock(), try lock.status().links > 0 else { continue }
      self.name = name
      self.lock = lock
      self.base = try base.duplicate()
      descriptor = folder
      path = "\(basePath)/\(text)"
      return
    }
  }

  deinit { Self.remove(name, from: base) }

  /// Removes the folders of processes that are no more. To be called at each start; costs little.
  static func removeLeftovers(in bases: [String]) {
    for base in bases {
      if let folder = try? Descriptor.open(base, [.read, .directory]) { removeLeftovers(in: folder) }
    }
  }

  private static func removeLeftovers(in base: borrowing Descriptor) {
    guard let entries = try? base.entries() else { return }
    for entry in entries where entry.name.bytes.starts(with: prefix.utf8) {
      guard let folder = try? base.open(entry.name, [.read, .directory]), let status = try? folder.status(),
        status.userID == ProcessEnvironment.userID
      else { continue }
      if let lock = try? folder.open(lockName, .readWrite) {
        guard let isFree = try? lock.tryLock(), isFree else { continue }
        remove(entry.name, from: base)
      } else if status.modified.seconds < Timestamp.now.seconds - 3600 {
        // Without a lock for so long nobody is about to make one.
        remove(entry.name, from: base)
      }
    }
  }

  private static func remove(_ name: FileName, from base: borrowing Descriptor) {
    guard let folder = try? base.open(name, [.read, .directory]), let entries = try? folder.entries() else { return }
    // The lock last, so that a folder that is half removed is still a left-over.
    for entry in entries where entry.name != lockName { try? folder.removeFile(entry.name) }
    try? folder.removeFile(lockName)
    try? base.removeDirectory(name)
  }
}
