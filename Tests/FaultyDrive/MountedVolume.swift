import Fuse
import Platform
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file system mounted by the test process itself on a folder of its own, until the value goes.
public final class MountedVolume: Sendable {
  /// Where it is mounted.
  public let path: String
  private let thread: Mutex<pthread_t?>

  /// Mounts and serves on a thread of its own.
  public init(_ fileSystem: any FileSystem) throws(Errno) {
    var template = Array("\(ProcessEnvironment.value("TMPDIR") ?? "/tmp")/foldicfs-volume-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw .current }
    path = String(cString: made)
    var options = SessionOptions(source: "faulty", subtype: "foldicfs-test")
    // For root the kernel mounts directly; the helper of the others stays as long as this process, one for each mount.
    options.mountOptions = geteuid() == 0 ? [] : ["auto_unmount"]
    let box = Unmanaged.passRetained(Work(try Session(mounting: fileSystem, at: path, options)))
    var handle = pthread_t()
    let error = pthread_create(
      &handle, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard error == 0 else {
      box.release()
      throw Errno(rawValue: error)
    }
    thread = Mutex(handle)
  }

  /// Ends the connection as the death of a driver does: calls that wait get an error, and so do all later ones. Returns
  /// whether this process may do that (only root).
  public func abort() -> Bool {
    #if canImport(Glibc)
      return umount2(path, Int32(MNT_FORCE)) == 0 || errno == EBUSY
    #else
      return false
    #endif
  }

  /// Unmounts and waits for the end of the session.
  public func unmount() {
    let handle: pthread_t? = thread.withLock { slot in
      defer { slot = nil }
      return slot
    }
    guard let handle else { return }
    try? Unmounting.unmount(path, lazily: true)
    pthread_join(handle, nil)
    rmdir(path)
  }

  deinit { unmount() }

  private final class Work {
    private var session: Session?
    init(_ session: consuming Session) { self.session = consume session }
    func run() {
      try? session?.run()
      session = nil
    }
  }
}
