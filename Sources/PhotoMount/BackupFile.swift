import BackupDrive
import Fuse
import Platform

/// A file in `Backup/`, open.
final class BackupFile: FileHandle {
  private let handle: DriveHandle
  private let moment: MountSettings.CommitMoment

  init(_ handle: DriveHandle, _ moment: MountSettings.CommitMoment) {
    self.handle = handle
    self.moment = moment
  }

  func read(count: Int, at offset: Int64, _ request: Request) throws(Errno) -> ReadReply {
    var result: Result<Void, Errno> = .success(())
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(Errno) {
        filled = try handle.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch { result = .failure(error) }
    }
    try result.get()
    return .bytes(bytes)
  }

  func write(_ data: borrowing WriteData, at offset: Int64, _ request: Request) throws(Errno) {
    let count = data.count
    try handle.write(count: count, at: offset) { (file, start) throws(Errno) in
      try data.write(to: file.number, at: start)
    }
  }

  func truncate(to size: Int64) throws(Errno) { try handle.truncate(to: size) }

  /// A process that a signal killed closes its files on the way out; what it had written so far is no whole file.
  func flush(_ request: Request) throws(Errno) {
    let wasKilled = ProcessState.wasKilled(request.processID)
    if moment == .fsync, !wasKilled { return try handle.flushWithoutCommit() }
    try handle.flush(writerWasKilled: wasKilled)
  }

  func synchronize(_ request: Request) throws(Errno) { try handle.synchronize() }

  func allocate(mode: Int32, offset: Int64, count: Int64, _ request: Request) throws(Errno) {
    // Bit 0 of fallocate(2)'s mode keeps the size; all others punch, shift or zero, which no exFAT can.
    guard mode & ~1 == 0 else { throw .notSupported }
    try handle.preallocate(offset: offset, length: count, keepSize: mode & 1 != 0)
  }

  func release() { handle.release() }
}
