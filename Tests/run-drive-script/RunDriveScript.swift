import BackupDrive
import DriveScript
import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `run-drive-script FOLDER journal|intents [SUBFOLDER ROUNDS]`: does the script in the marked folder and prints a line for
/// each step that is promised to be durable. With a sub-folder the script runs below it ROUNDS times, each followed by a
/// replacement of `shared` at the top, which is tried again when another process was faster. For tests that kill it, or run several.
@main
enum RunDriveScript {
  static func main() {
    let words = CommandLine.arguments
    guard words.count == 3 || words.count == 5 else { exit(2) }
    do {
      let drive = try BackupDrive.open(folder: words[1], hasJournal: words[2] == "journal")
      if words.count == 5, let folder = RelativePath(words[3]), let rounds = UInt64(words[4]) {
        for step in DriveScript.rounds(rounds, in: folder) { try insist(step, on: drive) }
      } else {
        try run(DriveScript.steps, on: drive)
      }
      drive.close()
    } catch {
      try? StandardStream.error.write("\(error)\n")
      exit(1)
    }
  }

  /// Does a step again when another process replaced the same file that very moment: the loser is told, and tries again.
  private static func insist(_ step: DriveStep, on drive: BackupDrive) throws {
    for attempt in 1... {
      let failure = step.failure(on: drive)
      guard let failure else { break }
      guard step.isOnShared, attempt < 100, failure == .exists || failure == .noSuchFile else { throw failure }
    }
    try StandardStream.output.write("done\n")
  }

  private static func run(_ steps: [DriveStep], on drive: BackupDrive) throws {
    for step in steps {
      try step.run(on: drive)
      try StandardStream.output.write("done\n")
    }
  }
}
