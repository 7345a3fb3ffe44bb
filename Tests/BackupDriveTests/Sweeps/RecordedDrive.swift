import DriveScript
import Foundation
import Platform

@testable import BackupDrive

/// A small exFAT drive on a loop device whose driver's writes can be recorded, and which can be set to any state.
final class RecordedDrive {
  let path: String
  private let base: String
  private let device: String
  private let recorder: String
  /// Held open, so that the device stays ours even if somebody else detaches it by its number.
  private let medium: FileHandle
  private(set) var isMounted = false

  /// Whether this machine has what it takes.
  static let isPossible = ExFATImage.isPossible && FileManager.default.isExecutableFile(atPath: "/usr/bin/cc")

  init(megabytes: Int) throws {
    base = FileManager.default.temporaryDirectory.path + "/foldic-blocks-" + RandomID.hex(12)
    path = base + "/drive"
    recorder = base + "/recorder.so"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let source = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/BlockRecorder/recorder.c"
    try run("/usr/bin/cc", "-shared", "-fPIC", "-O1", "-o", recorder, source, "-ldl", "-lpthread")
    let image = base + "/image"
    _ = FileManager.default.createFile(atPath: image, contents: nil)
    try FileHandle(forWritingTo: URL(fileURLWithPath: image)).truncate(atOffset: UInt64(megabytes) << 20)
    try run("/usr/sbin/mkfs.exfat", "-c", "4096", image)
    device = try run("/sbin/losetup", "--find", "--show", image)
    medium = try FileHandle(forUpdating: URL(fileURLWithPath: device))
  }

  deinit {
    if isMounted { _ = try? runQuietly("/bin/umount", "--lazy", path) }
    _ = try? run("/sbin/losetup", "--detach", device)
    try? FileManager.default.removeItem(atPath: base)
  }

  /// Mounts it; with a log every write and flush of the driver goes there.
  func mount(recordingTo log: String? = nil) throws {
    guard let log else {
      try runQuietly("/usr/sbin/mount.exfat-fuse", device, path)
      isMounted = true
      return
    }
    // `env` since the drivers' runner gives no variables.
    try runQuietly(
      "/usr/bin/env", "FOLDICFS_RECORD_DEVICE=\(device)", "FOLDICFS_RECORD_LOG=\(log)", "LD_PRELOAD=\(recorder)",
      "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "/usr/sbin/mount.exfat-fuse", device, path)
    isMounted = true
  }

  /// Unmounts it. Whoever has just closed a file there may still keep it busy for a moment.
  func unmount() throws {
    for attempt in 1... {
      do {
        try runQuietly("/bin/umount", path)
        break
      } catch {
        guard attempt < 1000 else { throw error }
        usleep(2000)
      }
    }
    isMounted = false
  }

  /// A place for a log.
  func newLog() -> String { base + "/log-" + RandomID.hex(8) }

  /// All bytes of the medium.
  func contents() throws -> [UInt8] {
    try medium.seek(toOffset: 0)
    return Array(try medium.readToEnd() ?? Data())
  }

  /// Sets the medium.
  func set(_ bytes: [UInt8]) throws {
    try medium.seek(toOffset: 0)
    try medium.write(contentsOf: Data(bytes))
  }
}
