import BackupDrive
import DriveScript
import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the script on the folder named on the command line and prints a line for each step that is promised to be durable.
/// For tests that kill it.
@main
enum RunDriveScript {
  static func main() {
    guard CommandLine.arguments.count == 2 else { exit(2) }
    do {
      let drive = try BackupDrive.open(folder: CommandLine.arguments[1], readOnly: false)
      for step in DriveScript.steps {
        try step.run(on: drive)
        try StandardStream.output.write("done\n")
      }
      drive.close()
    } catch {
      try? StandardStream.error.write("\(error)\n")
      exit(1)
    }
  }
}
