import CPlatform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Takes a mounted file system away.
public enum Unmounting {
  /// Unmounts; as an ordinary user through fusermount3, which says itself on stderr what is wrong.
  /// - Parameter lazily: from the tree at once, in truth when nobody uses it any more. For a dead mount.
  public static func unmount(_ mountpoint: String, lazily: Bool = false) throws(Errno) {
    #if os(Linux)
      if geteuid() == 0 {
        // MNT_DETACH 2, UMOUNT_NOFOLLOW 8 of umount2(2).
        _ = try checked { umount2(mountpoint, (lazily ? 2 : 0) | 8) }
        return
      }
      let code = try Subprocess.run("fusermount3", lazily ? ["-u", "-z", "--", mountpoint] : ["-u", "--", mountpoint])
      guard code == 0 else { throw .busy }
    #else
      _ = try checked { Darwin.unmount(mountpoint, lazily ? MNT_FORCE : 0) }
    #endif
  }
}
