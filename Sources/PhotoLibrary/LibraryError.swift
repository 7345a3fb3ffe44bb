import Platform

/// Why a library, or something in it, cannot be read.
public enum LibraryError: Error, Sendable {
  /// No library that this program knows. The text says what it looked like and what to do.
  case notALibrary(path: String, reason: String)
  /// The database is damaged, truncated or being written without pause.
  case unreadableDatabase(path: String, reason: String)
  /// A file of the bundle could not be read.
  case file(FileError)
  /// The original is not on this disk (cloud-only, referenced and unplugged, lost) or its record leads out of the bundle.
  case notHere
  /// There is no such album in this revision.
  case noSuchAlbum

  /// The nearest error number for a file system call.
  public var errno: Errno {
    switch self {
    case .notALibrary: .invalid
    case .unreadableDatabase: .inputOutput
    case .file(let error): error.errno
    case .notHere: .noData
    case .noSuchAlbum: .noSuchFile
    }
  }
}

extension LibraryError: CustomStringConvertible {
  /// One line without a full stop: what, which file, what to do.
  public var description: String {
    switch self {
    case .notALibrary(let path, let reason), .unreadableDatabase(let path, let reason):
      "\(path.escapedForDisplay): \(reason)"
    case .file(let error): error.description
    case .notHere: "the original is not on this disk"
    case .noSuchAlbum: "there is no such album"
    }
  }
}
