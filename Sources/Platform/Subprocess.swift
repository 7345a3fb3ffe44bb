#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Another program, run to its end.
public enum Subprocess {
  /// Runs a program found in PATH with this process's streams, and waits for it.
  /// - Parameter arguments: without the program's own name.
  /// - Returns: its exit code; 128 and the signal's number when one ended it.
  /// - Throws: when it cannot be started (ENOENT: not installed).
  public static func run(_ program: String, _ arguments: [String]) throws(Errno) -> Int32 {
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    var process = pid_t()
    let error = posix_spawnp(&process, program, nil, nil, words, environ)
    guard error == 0 else { throw Errno(rawValue: error) }
    var status: Int32 = 0
    _ = try checked { waitpid(process, &status, 0) }
    return ProcessExit.code(of: status)
  }
}

enum ProcessExit {
  /// The exit code in what waitpid(2) reports, as shells give it.
  static func code(of status: Int32) -> Int32 {
    status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }
}
