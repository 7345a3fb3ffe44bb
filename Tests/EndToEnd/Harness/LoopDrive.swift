import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A drive in a file: an image on a loop device, mounted as a desktop would mount a USB stick.
final class LoopDrive {
  /// The file system on the drive.
  enum FileSystem: String, CaseIterable, CustomTestStringConvertible {
    case ext4
    case exfat
    var testDescription: String { rawValue }
  }

  let fileSystem: FileSystem
  /// Where it is mounted.
  let path: String
  let image: String
  private var device: String?
  private var isMounted = false

  private init(_ fileSystem: FileSystem, megabytes: Int, in folder: String) throws {
    self.fileSystem = fileSystem
    path = folder + "/drive"
    image = folder + "/drive.img"
    try ToolRun.check("truncate", "-s", "\(megabytes)M", image)
    switch fileSystem {
    case .ext4: try ToolRun.check("mkfs.ext4", "-q", "-F", "-m", "0", image)
    case .exfat: try ToolRun.check("mkfs.exfat", image)
    }
    try ToolRun.check("mkdir", path)
    // Another program may take the device that was found free before it is ours.
    for attempt in 1... {
      let result = try ToolRun.run("losetup", "-f", "--show", image)
      if result.code == 0 {
        device = String(result.output.prefix { !$0.isWhitespace })
        break
      }
      guard attempt < 20 else { throw ToolError(description: "\(result)") }
    }
    try mount()
  }

  /// Makes a drive for `body`, in a temporary folder of its own; whatever happens it is unmounted and detached.
  static func with<Result>(
    _ fileSystem: FileSystem, megabytes: Int = 128, _ body: (LoopDrive) throws -> Result
  ) throws -> Result {
    try withTemporaryFolder { folder in
      let drive = try LoopDrive(fileSystem, megabytes: megabytes, in: folder)
      defer { drive.remove() }
      return try body(drive)
    }
  }

  /// Mounts it, by default at its own place.
  func mount() throws {
    guard let device else { throw ToolError(description: "\(image) has no loop device") }
    switch fileSystem {
    case .ext4: try ToolRun.check("mount", "-t", "ext4", device, path)
    case .exfat: try ToolRun.check("mount.exfat-fuse", "-o", "allow_other,umask=000", device, path)
    }
    isMounted = true
  }

  /// Unmounts it, so that nothing of it is in memory any more.
  func unmount() throws {
    try ToolRun.checkUnlessBusy("umount", path)
    isMounted = false
  }

  /// As if it was pulled out properly and plugged in again.
  func remount() throws {
    try unmount()
    try mount()
  }

  private func remove() {
    if isMounted, (try? unmount()) == nil { _ = try? ToolRun.run("umount", "-l", path) }
    guard let device else { return }
    // exfat-fuse keeps the device for a moment after umount has returned.
    _ = waitUntil(seconds: 20) {
      _ = try? ToolRun.run("losetup", "-d", device)
      return (try? ToolRun.run("losetup", "-j", self.image).output.isEmpty) ?? true
    }
    self.device = nil
  }

  deinit { remove() }
}
