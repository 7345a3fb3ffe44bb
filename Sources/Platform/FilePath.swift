#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Changes of files that the user names by a path of their own.
public enum FilePath {
  /// Gives a file another path on the same file system, in place of what is there.
  public static func rename(_ old: String, to new: String) throws(Errno) {
    guard !old.utf8.contains(0), !new.utf8.contains(0) else { throw .invalid }
    _ = try checked { systemRenamePath(old, new) }
  }

  /// Removes a file.
  public static func remove(_ path: String) throws(Errno) {
    guard !path.utf8.contains(0) else { throw .invalid }
    _ = try checked { unlink(path) }
  }
}

private func systemRenamePath(_ old: String, _ new: String) -> Int32 { rename(old, new) }
