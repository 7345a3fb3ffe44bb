import Platform

/// What the kernel remembers of a drive below its file system. A driver in user space reads the device through the
/// device's own cache, which forgetting a file's content does not empty.
struct MediumCache: ~Copyable {
  private let device: Descriptor?

  /// Finds the device of the file system that holds an open folder. Ordinary users may not open it: then nothing is done.
  init(of folder: borrowing Descriptor) {
    guard folder.fileSystemType()?.hasPrefix("fuse") == true, let number = try? folder.status().device,
      let mounted = try? MountTable.fileSystem(ofDevice: number),
      let path = String(validating: mounted.source, as: UTF8.self), path.hasPrefix("/dev/")
    else {
      device = nil
      return
    }
    device = try? Descriptor.open(path, [.read, .nonBlocking])
  }

  /// Forgets what is on the medium.
  func drop() { device?.dropCache() }
}
