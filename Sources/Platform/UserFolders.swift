#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where programs keep what is theirs, by the XDG base directory specification.
public enum UserFolders {
  /// `$XDG_STATE_HOME/foldicfs`: logs and checkpoints; `nil` when the user has no home.
  public static var state: String? { folder("XDG_STATE_HOME", below: ".local/state") }

  private static func folder(_ variable: String, below home: String) -> String? {
    // The specification: a relative value is to be ignored.
    if let value = ProcessEnvironment.value(variable), value.hasPrefix("/") { return value + "/foldicfs" }
    return self.home.map { "\($0)/\(home)/foldicfs" }
  }

  private static var home: String? {
    if let home = ProcessEnvironment.value("HOME"), home.hasPrefix("/") { return home }
    // mount(8) may start us without an environment.
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16384)
    guard getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil, let home = entry.pw_dir
    else { return nil }
    return String(cString: home)
  }
}
