import BackupDrive
import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `foldicfs clean DIR [--apply]`: sidecars without a file; without `--apply` only what would be done.
enum CleanCommand {
  static func run(_ words: [String]) throws(CommandError) -> ExitCode {
    let arguments = try CommandArguments(words, command: "clean", known: ["apply"], operands: ["DIR"])
    guard !arguments.switches.contains("help"), let folder = arguments.operands.first else {
      try printResult(Usage.text)
      return .done
    }
    let applies = arguments.switches.contains("apply")
    let drive = try openDrive(folder, readOnly: !applies)
    defer { drive.close() }
    guard let scan = OrphanScan(of: drive) else { return .done }
    for failure in scan.failures { complain("\(failure)") }
    guard scan.failures.isEmpty || !applies else {
      complain("nothing was cleaned: what could not be read may hold the files that these sidecars belong to")
      return .partly
    }
    var lines = ""
    var bytes: Int64 = 0
    var count = 0
    var failed = false
    for orphan in scan.orphans {
      do throws(TrashError) {
        if applies {
          // Its file has come meanwhile.
          guard try drive.discard(orphan, to: getuid()) else { continue }
        }
        lines += "\(orphan.path)\tsidecar without a file\t\(orphan.size)\n"
        bytes += orphan.size
        count += 1
      } catch {
        failed = true
        complain("\(error)")
      }
    }
    let sidecars = count == 1 ? "1 sidecar" : "\(count) sidecars"
    lines +=
      applies
      ? "moved \(sidecars) of \(bytes) bytes to the drive's trash\n"
      : "\(sidecars) of \(bytes) bytes without a file" + (count > 0 ? "; --apply moves them to the trash\n" : "\n")
    try printResult(lines)
    return failed || !scan.failures.isEmpty ? .partly : .done
  }
}

/// Says on standard error what went wrong with one of several things.
func complain(_ line: String) {
  // Without a standard error there is nobody left to tell.
  try? StandardStream.error.write("foldicfs: \(line)\n")
}

/// Opens a marked folder for a command, as a session of its own when it is to be written.
func openDrive(_ folder: String, readOnly: Bool) throws(CommandError) -> BackupDrive {
  do throws(DriveError) {
    return try BackupDrive.open(folder: folder, readOnly: readOnly, deletion: .trash(userID: getuid())) {
      complain($0)
    }
  } catch { throw .failed("\(error)") }
}
