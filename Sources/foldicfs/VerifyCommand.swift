import BackupDrive
import Platform

/// `foldicfs verify DIR`: reads a backup back and compares it with what was recorded.
enum VerifyCommand {
  static func run(_ words: [String]) throws(CommandError) -> ExitCode {
    let arguments = try CommandArguments(
      words, command: "verify", known: ["json", "restart", "accept"], valued: ["export"], operands: ["DIR"])
    guard !arguments.switches.contains("help"), let folder = arguments.operands.first else {
      try printResult(Usage.text)
      return .done
    }
    var options = DriveVerification.Options()
    options.restarts = arguments.switches.contains("restart")
    options.accepts = arguments.switches.contains("accept")
    options.list = arguments.values["export"]
    Cancellation.installHandlers()
    let line = ProgressLine()
    let report: VerificationReport
    do throws(DriveError) {
      report = try DriveVerification.run(
        folder: folder, options: options, cancellation: .process,
        log: { text in line.say("foldicfs: \(text.escapedForDisplay)") },
        progress: { progress in line.show { progress.line } })
    } catch {
      line.end()
      throw .failed("\(error)")
    }
    line.end()
    if arguments.switches.contains("json") {
      try printResult(try report.json(folder: folder))
    } else {
      try printResult(report.text(list: options.list))
    }
    if !report.isComplete {
      try? StandardStream.error.write(
        "foldicfs: cancelled; nothing on the drive was changed but the catalog, and the same command goes on from here\n"
      )
      return .cancelled
    }
    return report.isGood ? .done : .partly
  }
}

extension DriveVerification.Progress {
  /// Counts for a line that is written over and over.
  fileprivate var line: String {
    let done = counts.filesBefore + counts.filesRead
    var text = "verify: \(done) of \(max(known, done)) files, \(counts.bytesRead >> 20) MiB read"
    if bad > 0 { text += ", \(bad) bad" }
    return text
  }
}
