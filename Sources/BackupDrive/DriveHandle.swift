import Platform
import Synchronization

/// One open of a file. All handles that may write share one pending version of the file.
///
/// After a version could not be written or committed it is dropped with its space, and the error is reported by the call,
/// by every later write and by every later flush, until the file is emptied (`truncate(to: 0)`, an open that truncates)
/// or its last writing handle is released: what would follow were a file with a hole in it. A file that was never
/// committed loses its name at once, and its handles never recover.
public final class DriveHandle: Sendable {
  /// The file.
  public let node: DriveNode
  private let drive: BackupDrive
  private let versions: FileVersions
  private let writes: Bool
  private let appends: Bool
  private let isReleased = Atomic<Bool>(false)

  init(drive: BackupDrive, node: DriveNode, versions: FileVersions, writes: Bool, appends: Bool) {
    self.drive = drive
    self.node = node
    self.versions = versions
    self.writes = writes
    self.appends = appends
  }

  deinit { release() }

  /// Reads up to `buffer.count` bytes; 0 at the end. A reader sees the committed version, a writer the pending one.
  public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    try source().descriptor.read(into: buffer, at: offset)
  }

  /// Calls `body` with the number of the descriptor that serves reads now, for splice. It is open only meanwhile.
  public func withDescriptor<R, E: Error>(_ body: (Int32) throws(E) -> R) throws(E) -> R? {
    guard let source = try? source() else { return nil }
    defer { withExtendedLifetime(source) {} }
    return try body(source.descriptor.number)
  }

  private func source() throws(Errno) -> SharedDescriptor {
    let (found, failure) = versions.state.withLock { ($0.source(forWriter: writes), $0.failure) }
    guard let found else { throw failure ?? .stale }
    return found
  }

  /// Writes all of `buffer`. EBADF without the right to.
  public func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
    let count = buffer.count
    try write(count: count, at: offset) { (file, start) throws(Errno) in try file.write(buffer, at: start) }
  }

  /// Lets `put` write `count` bytes into the pending version, for bytes that need not come through memory. It gets the
  /// open file and the offset there, and writes all or throws.
  public func write(
    count: Int, at offset: Int64, _ put: (borrowing Descriptor, Int64) throws(Errno) -> Void
  ) throws(Errno) {
    try changing { () throws(Errno) in
      try drive.write(node, versions, count: count, at: appends ? nil : offset, put)
    }
  }

  /// Cuts or grows the file. When it cannot grow (ENOSPC, EFBIG) it is as before.
  public func truncate(to size: Int64) throws(Errno) {
    try changing { () throws(Errno) in try drive.resize(node, versions, to: size) }
  }

  /// Reserves space (fallocate(2)); ENOTSUP where the drive cannot. When there is none the file is as before.
  public func preallocate(offset: Int64, length: Int64, keepSize: Bool) throws(Errno) {
    try changing { () throws(Errno) in
      try drive.change(node, versions) { (file) throws(Errno) in
        try file.preallocate(offset: offset, length: length, keepSize: keepSize)
      }
    }
  }

  /// The close of one duplicate of the descriptor: commits what was written by any handle of the file. The error of an
  /// earlier write comes again.
  ///
  /// - Parameter writerWasKilled: the process is being ended by a signal: it did not mean to close, nothing is committed.
  public func flush(writerWasKilled: Bool = false) throws(Errno) {
    guard writes else { return }
    try versions.writing.withLock { (_) throws(Errno) in
      if writerWasKilled {
        versions.state.withLock { $0.writerWasKilled = true }
      } else {
        try drive.commit(node, versions)
      }
    }
  }

  /// The close of one duplicate by a writer who does not wait for the medium: what was written is committed by the next
  /// `synchronize()` or `release()`. The error of an earlier write comes again.
  public func flushWithoutCommit() throws(Errno) {
    guard writes else { return }
    let failure = versions.state.withLock { state in
      state.writerWasKilled = false
      return state.failure
    }
    if let failure { throw failure }
  }

  /// fsync: commits what was written.
  public func synchronize() throws(Errno) { try flush() }

  /// The last close. Commits what a shared mapping wrote after the last flush; drops what only killed processes closed.
  /// Idempotent; an error has nobody to go to but the log.
  public func release() {
    guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
    drive.release(node, versions, writes: writes)
  }

  private func changing(_ body: () throws(Errno) -> Void) throws(Errno) {
    guard writes else { throw .badDescriptor }
    try versions.writing.withLock { (_) throws(Errno) in try body() }
  }
}
