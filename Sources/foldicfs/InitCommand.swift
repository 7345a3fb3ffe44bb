import BackupDrive
import PhotoLibrary
import Platform

/// `foldicfs init DIR`: marks a folder as a backup.
enum InitCommand {
  static func run(_ words: [String]) throws(CommandError) -> ExitCode {
    let arguments = try CommandArguments(words, command: "init", operands: ["DIR"])
    guard !arguments.switches.contains("help"), let folder = arguments.operands.first else {
      try printResult(Usage.text)
      return .done
    }
    if let resolved = try? AbsolutePath.resolve(folder), let library = LibraryOpener.library(around: resolved) {
      throw .failed(
        "\(folder.escapedForDisplay) lies inside the photo library \(library.escapedForDisplay), which is never written; "
          + "take another folder")
    }
    do throws(DriveError) { try BackupDrive.initialise(folder: folder) } catch { throw .failed("\(error)") }
    try printResult(
      "\(folder.escapedForDisplay) is now a backup folder; mount with -o backup=\(folder.escapedForDisplay)\n")
    return .done
  }
}
