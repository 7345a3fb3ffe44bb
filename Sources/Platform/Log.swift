#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Where a process says what no answer to a request can say: standard error while there is one, else a file.
public final class Log: Sendable {
  /// Bytes after which the file is moved aside as `NAME.1`.
  private static let rotation: Int64 = 1 << 20

  private enum Sink {
    case standardError
    case file(path: String)
    case nowhere
  }

  private let sink: Mutex<Sink>

  /// Logs to standard error.
  public init() { sink = Mutex(.standardError) }

  /// From now on to `log` in the user's state folder, for a process that goes into the background.
  /// - Throws: when there is no such folder and none can be made; the log then goes nowhere, which a caller should say.
  public func moveToFile() throws(FileError) {
    sink.withLock { $0 = .nowhere }
    guard let folder = UserFolders.state else {
      throw FileError("find a home for the log of", path: "this user", errno: .noSuchFile)
    }
    var path = ""
    for component in folder.split(separator: "/") {
      path += "/" + component
      if mkdir(path, 0o700) == -1, Errno.current != .exists, Errno.current != .isDirectory {
        let error = Errno.current
        if access(path, F_OK) != 0 { throw FileError("make the log's folder", path: path, errno: error) }
      }
    }
    sink.withLock { $0 = .file(path: folder + "/log") }
  }

  /// Writes one line. Control characters are escaped; time and process stand before it in the file. Any thread.
  public func callAsFunction(_ line: String) {
    sink.withLock { sink in
      switch sink {
      // A log that cannot be written has nobody left to tell.
      case .standardError: try? StandardStream.error.write("foldicfs: \(line.escapedForDisplay)\n")
      case .file(let path): try? append("\(timestamp) [\(getpid())] \(line.escapedForDisplay)\n", to: path)
      case .nowhere: break
      }
    }
  }

  private func append(_ text: String, to path: String) throws(Errno) {
    let options: Descriptor.Options = [.write, .create, Descriptor.Options(rawValue: O_APPEND)]
    var file = try Descriptor.open(path, options, mode: 0o600)
    if try file.status().size > Self.rotation {
      _ = try checked { rename(path, path + ".1") }
      file = try Descriptor.open(path, options, mode: 0o600)
    }
    try file.write(Array(text.utf8))
  }

  private var timestamp: String {
    var seconds = time(nil)
    var parts = tm()
    localtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S%z", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
