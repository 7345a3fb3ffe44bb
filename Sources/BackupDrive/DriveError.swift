import Platform

/// Why a folder cannot be used as a backup drive, in one line for the person who named it.
public struct DriveError: Error, Sendable, CustomStringConvertible {
  /// What is wrong, with which folder, and what to do; control characters are escaped, no full stop.
  public let description: String
  /// The system's reason, or the nearest there is.
  public let errno: Errno

  init(_ description: String, _ errno: Errno) {
    self.description = description
    self.errno = errno
  }
}
