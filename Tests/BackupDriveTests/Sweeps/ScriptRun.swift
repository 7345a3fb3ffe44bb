import Foundation
import Platform

/// A process of `run-drive-script`, whose lines go into a file: nobody waits for a pipe that something else holds open.
final class ScriptRun {
  private let process: pid_t
  private let output: String

  init(_ arguments: [String]) throws {
    output = FileManager.default.temporaryDirectory.path + "/foldicfs-script-" + RandomID.hex(12)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, output + ".errors", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var words: [UnsafeMutablePointer<CChar>?] = ([Self.program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    guard posix_spawn(&child, Self.program, &actions, nil, &words, nil) == 0 else {
      throw CommandFailed(text: "cannot run \(Self.program)")
    }
    process = child
  }

  deinit {
    try? FileManager.default.removeItem(atPath: output)
    try? FileManager.default.removeItem(atPath: output + ".errors")
  }

  /// Waits for its end: the steps that it acknowledged, the signal that ended it (0 for none), and what it complained of.
  func wait() -> (acknowledged: Int, signal: Int32, code: Int32, errors: String) {
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    let lines = FileManager.default.contents(atPath: output) ?? Data()
    let errors = FileManager.default.contents(atPath: output + ".errors") ?? Data()
    return (
      lines.count { $0 == 0x0A }, status & 0x7F, status >> 8 & 0xFF, String(decoding: errors, as: UTF8.self)
    )
  }

  /// Beside the running test program.
  private static let program: String = {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : CommandLine.arguments[0]
    let beside = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/run-drive-script"
    guard access(String(beside), X_OK) != 0 else { return String(beside) }
    let repository = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    return repository + "/.build/debug/run-drive-script"
  }()
}
