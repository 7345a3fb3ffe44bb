import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a test needs of the machine; tests that lack it are skipped with its text.
enum Requirement {
  static let rootText: Comment = "needs root"
  static let driveText: Comment = "needs root, a free loop device, mkfs.ext4, mkfs.exfat and mount.exfat-fuse"
  static let mountText: Comment = "needs /dev/fuse and fusermount3"
  static let fixturesText: Comment = "needs the real libraries in ../shared/fixtures/photoslibraries"

  static let isRoot = geteuid() == 0

  static let canMount = access("/dev/fuse", R_OK | W_OK) == 0 && hasTool("fusermount3")

  static let hasDrives =
    isRoot && canMount && access("/dev/loop-control", R_OK | W_OK) == 0
    && ["losetup", "mkfs.ext4", "mkfs.exfat", "mount.exfat-fuse"].allSatisfy(hasTool)

  static let canBecomeAUser =
    isRoot && hasTool("setpriv") && (try? ToolRun.run("unshare", "--mount", "true").code) == 0

  static let hasStrace = hasTool("strace")
  static let hasRsync = hasTool("rsync")
  static let hasExiftool = hasTool("exiftool")

  /// The desktop's trash, which gvfs starts on a session bus.
  static let hasTrashService =
    hasTool("gio") && hasTool("dbus-run-session")
    && ["/usr/libexec/gvfsd-trash", "/usr/lib/gvfs/gvfsd-trash"].contains { (path: String) in access(path, X_OK) == 0 }
  /// Whether the kernel allows shared mappings of files past its page cache: Linux 6.6.
  static let allowsMappings: Bool = {
    var system = utsname()
    guard uname(&system) == 0 else { return false }
    let release = withUnsafeBytes(of: &system.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let numbers = release.split(whereSeparator: { !$0.isNumber }).prefix(2).compactMap { Int($0) }
    return numbers.count == 2 && (numbers[0], numbers[1]) >= (6, 6)
  }()

  /// Whether a program is found in the usual places.
  static func hasTool(_ name: String) -> Bool {
    ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"].contains {
      access("\($0)/\(name)", X_OK) == 0
    }
  }
}
