#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program that could not be started or did not end in time.
struct ToolError: Error, CustomStringConvertible {
  let description: String
}

/// A running program. Its output goes into unlinked files, not pipes, since a daemon that it leaves behind would hold a
/// pipe open.
final class RunningTool {
  let processID: pid_t
  private let name: String
  private let output: Int32
  private let errors: Int32
  private var result: ToolResult?

  /// Starts `arguments[0]`, found along PATH, in a process group of its own.
  init(_ arguments: [String], environment: [String: String] = [:], input: String = "/dev/null") throws {
    name = arguments.joined(separator: " ")
    output = try Self.unlinkedFile()
    errors = try Self.unlinkedFile()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    posix_spawnattr_setpgroup(&attributes, 0)
    // The test's own thread may block signals or leave them ignored; a program at a terminal has neither.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)

    var variables = ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"]
    variables["HOME"] = getenv("HOME").map { String(cString: $0) } ?? "/"
    variables.merge(environment) { $1 }
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var started: pid_t = 0
    let code = posix_spawnp(&started, arguments[0], &actions, &attributes, argv, envp)
    guard code == 0 else {
      close(output)
      close(errors)
      throw ToolError(description: "cannot start \(name): \(String(cString: strerror(code)))")
    }
    processID = started
  }

  /// Whether it has not ended yet.
  var isRunning: Bool {
    collect(WNOHANG)
    return result == nil
  }

  /// Waits for the end. After `seconds` the process group is killed and an error thrown.
  @discardableResult
  func wait(seconds: Double = 120) throws -> ToolResult {
    let ended = waitUntil(seconds: seconds) { !self.isRunning }
    if let result, ended { return result }
    kill()
    throw ToolError(description: "\(name): still running after \(seconds) s, killed: \(result?.errors ?? "")")
  }

  /// Sends it a signal, as Ctrl-C would: to its children as well.
  func send(_ number: Int32) { _ = Self.signal(-processID, number) }

  /// Kills it and its children, at once.
  func kill() {
    guard isRunning else { return }
    _ = Self.signal(-processID, SIGKILL)
    collect(0)
  }

  deinit {
    kill()
    close(output)
    close(errors)
  }

  private static func signal(_ process: pid_t, _ number: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.kill(process, number)
    #else
      Darwin.kill(process, number)
    #endif
  }

  private func collect(_ options: Int32) {
    guard result == nil else { return }
    var status: Int32 = 0
    guard waitpid(processID, &status, options) == processID else { return }
    let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    result = ToolResult(
      arguments: name, code: code, output: Self.contents(output), errors: Self.contents(errors))
  }

  private static func unlinkedFile() throws -> Int32 {
    var template = Array((TemporaryFolder.top + "/foldicfs-output-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw ToolError(description: "cannot make a temporary file") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
    return descriptor
  }

  private static func contents(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = pread(descriptor, &buffer, buffer.count, off_t(bytes.count)), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// How a program ended.
struct ToolResult: CustomStringConvertible {
  let arguments: String
  /// The exit code; 128 and the signal when it was killed.
  let code: Int32
  let output: String
  let errors: String

  /// Lines of the error output.
  var errorLines: [Substring] { errors.split(separator: "\n") }

  var description: String { "\(arguments): exit \(code)\n\(output.prefix(2000))\(errors.prefix(4000))" }
}

/// Runs programs to their end.
enum ToolRun {
  /// Runs `arguments` and returns how it ended.
  static func run(
    _ arguments: String..., environment: [String: String] = [:], seconds: Double = 120
  ) throws -> ToolResult {
    try RunningTool(arguments, environment: environment).wait(seconds: seconds)
  }

  /// Runs `arguments`; anything but exit code 0 is an error.
  @discardableResult
  static func check(
    _ arguments: String..., environment: [String: String] = [:], seconds: Double = 120
  ) throws -> ToolResult {
    let result = try RunningTool(arguments, environment: environment).wait(seconds: seconds)
    guard result.code == 0 else { throw ToolError(description: "\(result)") }
    return result
  }

  /// Runs an unmounting program again while it says that the place is busy: other tests fork this very process, and until
  /// their program runs the child holds whatever is open here.
  static func checkUnlessBusy(_ arguments: String...) throws {
    var result: ToolResult?
    _ = waitUntil(seconds: 20) {
      result = try? RunningTool(arguments).wait(seconds: 60)
      return result.map { !$0.errors.lowercased().contains("busy") } ?? true
    }
    guard let result, result.code == 0 else {
      throw ToolError(description: result.map { "\($0)" } ?? "cannot run \(arguments)")
    }
  }

  /// Runs a shell script with `$1`, `$2` … set.
  static func shell(_ script: String, _ arguments: String..., seconds: Double = 120) throws -> ToolResult {
    try RunningTool(["bash", "-c", script, "bash"] + arguments).wait(seconds: seconds)
  }
}

/// Looks every few milliseconds until `condition` holds.
/// - Returns: false when it did not within `seconds`.
func waitUntil(seconds: Double, _ condition: () -> Bool) -> Bool {
  let end = monotonicSeconds() + seconds
  while true {
    if condition() { return true }
    if monotonicSeconds() > end { return false }
    usleep(3000)
  }
}

private func monotonicSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
