/// An error that a person reads: what was tried, on which file, and what the system said.
public struct FileError: Error, Sendable {
  /// What failed, as an infinitive: "open the library".
  public let action: String
  /// The file or folder as the user knows it.
  public let path: String
  /// The system's reason.
  public let errno: Errno
  /// What the user can do about it; empty when nothing is known.
  public let advice: String

  /// Describes a failed call.
  public init(_ action: String, path: String, errno: Errno, advice: String = "") {
    self.action = action
    self.path = path
    self.errno = errno
    self.advice = advice
  }
}

extension FileError: CustomStringConvertible {
  /// One line without a full stop; control characters in the path are shown escaped.
  public var description: String {
    let sentence = "cannot \(action) \(path.escapedForDisplay): \(errno)"
    return advice.isEmpty ? sentence : "\(sentence); \(advice)"
  }
}
