import Platform

/// What the process tells the shell.
enum ExitCode: Int32 {
  /// All done.
  case done = 0
  /// Failed; nothing was changed.
  case failed = 1
  /// The command line makes no sense.
  case usage = 2
  /// Done in part: some items failed, each named.
  case partly = 3
  /// Ended by SIGINT or SIGTERM.
  case cancelled = 130
}

/// Ends a command with one line on standard error.
struct CommandError: Error {
  let message: String
  let exitCode: ExitCode

  static func usage(_ message: String) -> CommandError {
    CommandError(message: "\(message); see foldicfs --help", exitCode: .usage)
  }

  static func failed(_ message: String) -> CommandError { CommandError(message: message, exitCode: .failed) }
}

/// Prints a result; one that cannot be printed is a failure.
func printResult(_ text: String) throws(CommandError) {
  do throws(Errno) { try StandardStream.output.write(text) } catch {
    throw .failed("cannot write the result: \(error)")
  }
}
