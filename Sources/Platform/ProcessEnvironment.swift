#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the process was started with.
public enum ProcessEnvironment {
  /// A variable's value; `nil` when it is not set or empty.
  public static func value(_ name: String) -> String? {
    guard let text = getenv(name), text.pointee != 0 else { return nil }
    return String(cString: text)
  }

  /// The number of the user as whom it acts.
  public static var userID: UInt32 { geteuid() }
}
