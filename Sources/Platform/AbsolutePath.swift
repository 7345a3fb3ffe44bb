#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Paths that stay right when the process leaves its folder.
public enum AbsolutePath {
  /// The path with links, `.` and `..` resolved (realpath(3)).
  /// - Throws: ENOENT when something is not there, ENOTCONN at a dead mount.
  public static func resolve(_ path: String) throws(Errno) -> String {
    guard !path.utf8.contains(0) else { throw .invalid }
    guard let resolved = realpath(path, nil) else { throw .current }
    defer { free(resolved) }
    // A path that is no UTF-8 cannot be held by a String: repair nothing silently.
    guard let text = String(validatingCString: resolved) else { throw .illegalSequence }
    return text
  }

  /// The path with everything resolved but its last component, which need not be there nor answer.
  public static func resolveParent(_ path: String) throws(Errno) -> String {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
    guard let slash = trimmed.lastIndex(of: "/") else { return join(try resolve("."), String(trimmed)) }
    let last = String(trimmed[trimmed.index(after: slash)...])
    guard !["", ".", ".."].contains(last) else { return try resolve(String(trimmed)) }
    return join(try resolve(slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])), last)
  }

  /// Whether `path` is `folder` or below it; both resolved.
  public static func isInside(_ path: String, _ folder: String) -> Bool {
    let (path, folder) = (Array(path.utf8), Array(folder.utf8))
    guard path.starts(with: folder) else { return false }
    return path.count == folder.count || folder.last == UInt8(ascii: "/") || path[folder.count] == UInt8(ascii: "/")
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}
