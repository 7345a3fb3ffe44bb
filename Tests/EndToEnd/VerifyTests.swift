import CSQLite
import Foundation
import LibraryMaker
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension EndToEndTests {
  /// `foldicfs verify` on real drives.
  @Suite(.enabled(if: Requirement.hasDrives, Requirement.driveText)) struct VerifyTests {
    struct Report: Decodable {
      struct Files: Decodable {
        let ok, new, changed, damaged, unsteady, missing, unreadable, busy: Int
      }
      struct Line: Decodable {
        let kind, path: String
      }
      let complete, resumed: Bool
      let files: Files
      let filesRead: Int
      let bytesRead: Int64
      let findings: [Line]
    }

    private func run(_ drive: String, _ switches: [String] = [], state: String) throws -> (ToolResult, Report) {
      let words = [BuiltBinary.path, "verify", drive, "--json"] + switches
      let result = try RunningTool(words, environment: ["XDG_STATE_HOME": state]).wait()
      guard !result.output.isEmpty else { throw ToolError(description: "\(result)") }
      return (result, try JSONDecoder().decode(Report.self, from: Data(result.output.utf8)))
    }

    /// Flips a bit and gives the file its old time back.
    private func flip(_ path: String) throws {
      var bytes = try FileContents.read(path)
      bytes[bytes.count / 2] ^= 4
      try ToolRun.check("touch", "-r", path, path + ".time")
      try FileContents.write(bytes, to: path)
      try ToolRun.check("touch", "-r", path + ".time", path)
      try ToolRun.check("rm", path + ".time")
    }

    @Test(arguments: LoopDrive.FileSystem.allCases)
    func aCopyIsVerifiedAndWhatHappensToItIsFound(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        try withTemporaryFolder { folder in
          let state = folder + "/state"
          try MountFixture.with(backup: drive.path) { mount, _ in
            try ToolRun.check("cp", "-r", mount.path + "/Albums/Trips", mount.backup)
            try mount.unmount()
          }
          let files = try FolderListing.files(below: drive.path + "/Trips").filter { !$0.contains("._") }
          #expect(try rows(drive) == files.count, "the mount has told the catalog of every file")
          let (first, one) = try run(drive.path, state: state)
          #expect(first.code == 0 && first.errors.isEmpty, "\(first)")
          #expect(one.files.new == files.count && one.files.ok == 0 && one.complete)

          // The times of exFAT are coarse: the same ones must come back from the medium.
          try drive.remount()
          let (second, two) = try run(drive.path, state: state)
          #expect(second.code == 0 && two.files.ok == files.count && two.files.new == 0, "\(second)")
          #expect(two.bytesRead > 0)

          let victims = files.filter { $0.hasSuffix(".JPG") || $0.hasSuffix(".HEIC") || $0.hasSuffix(".jpg") }
          try #require(victims.count >= 3)
          try flip(drive.path + "/Trips/" + victims[0])
          try ToolRun.check("rm", drive.path + "/Trips/" + victims[1])
          try FileContents.write("something else", to: drive.path + "/Trips/" + victims[2])
          try drive.remount()
          let (third, three) = try run(drive.path, state: state)
          #expect(third.code == 3, "\(third)")
          let found = Dictionary(uniqueKeysWithValues: three.findings.map { ($0.path, $0.kind) })
          #expect(
            found == [
              "Trips/" + victims[0]: "damaged", "Trips/" + victims[1]: "missing", "Trips/" + victims[2]: "changed",
            ])
          #expect(three.files.ok == files.count - 3)
          let text = try ToolRun.run(
            BuiltBinary.path, "verify", "--accept", drive.path, environment: ["XDG_STATE_HOME": state])
          #expect(text.code == 0 && text.output.contains("damaged: Trips/" + victims[0]), "\(text)")
          #expect(try run(drive.path, state: state).1.findings.isEmpty)
        }
      }
    }

    @Test(
      .enabled(if: Requirement.hasTool("xxhsum"), "needs xxhsum"), arguments: LoopDrive.FileSystem.allCases)
    func theListOfHashesIsTakenByXxhsum(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        try withTemporaryFolder { folder in
          try ToolRun.check(BuiltBinary.path, "init", drive.path)
          try ToolRun.check("mkdir", "-p", drive.path + "/Ein Ordner")
          for name in ["a b.jpg", "Ein Ordner/Ä (1)=x.jpg", "-n", "\u{1F4F7} 日本.HEIC", "it's #1.jpg"] {
            try FileContents.write("content of \(name)", to: drive.path + "/" + name)
          }
          if fileSystem == .ext4 { try FileContents.write("x", to: drive.path + "/two\nlines") }
          let list = folder + "/list"
          let result = try ToolRun.run(
            BuiltBinary.path, "verify", drive.path, "--export", list,
            environment: ["XDG_STATE_HOME": folder + "/state"])
          #expect(result.code == 0, "\(result)")
          #expect(result.output.contains("not in the list") == (fileSystem == .ext4))
          let check = try ToolRun.shell("cd \"$1\" && xxhsum -c \"$2\"", drive.path, list)
          #expect(check.code == 0 && !check.output.contains("improperly"), "\(check)")
          #expect(check.output.split(separator: "\n").count == 5)
          try flip(drive.path + "/a b.jpg")
          let broken = try ToolRun.shell("cd \"$1\" && xxhsum -c \"$2\"", drive.path, list)
          #expect(broken.code != 0 && broken.output.contains("a b.jpg: FAILED"), "\(broken)")
        }
      }
    }

    @Test(arguments: LoopDrive.FileSystem.allCases)
    func anInterruptedRunGoesOn(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        try withTemporaryFolder { folder in
          let state = folder + "/state"
          try ToolRun.check(BuiltBinary.path, "init", drive.path)
          // One large file behind many small ones: there is always something left when the signal comes.
          for index in 0..<250 { try FileContents.write("content \(index)", to: drive.path + "/\(1000 + index)") }
          try ToolRun.check("truncate", "-s", "90M", drive.path + "/zz")
          let running = try RunningTool(
            [BuiltBinary.path, "verify", drive.path, "--json"], environment: ["XDG_STATE_HOME": state])
          let records = state + "/foldicfs/verify"
          let isKept = waitUntil(seconds: 60) {
            ((try? FolderListing.names(records)) ?? []).contains { $0.hasSuffix(".json") } || !running.isRunning
          }
          #expect(isKept)
          kill(running.processID, SIGINT)
          let first = try running.wait(seconds: 20)
          #expect(first.code == 130 && first.errorLines.count == 1, "\(first)")
          let one = try JSONDecoder().decode(Report.self, from: Data(first.output.utf8))
          #expect(!one.complete && one.files.new >= 200)
          let (second, two) = try run(drive.path, state: state)
          #expect(second.code == 0 && two.resumed && two.complete, "\(second)")
          #expect(one.filesRead + two.filesRead == 251)
          #expect(two.files.new == 251)
        }
      }
    }

    @Test(arguments: LoopDrive.FileSystem.allCases)
    func twoMountsOnOneDriveLoseNoRow(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        try withTemporaryFolder { folder in
          try MountFixture.with(backup: drive.path) { first, manifest in
            try MountFixture.with(library: manifest.path, options: ["backup=" + drive.path]) { second in
              let script = """
                for i in $(seq 60); do echo "$i" >"$1/$3-$i" || exit 1; done
                """
              let one = try RunningTool(["bash", "-c", script, "bash", first.backup, "x", "one"])
              let other = try RunningTool(["bash", "-c", script, "bash", second.backup, "x", "two"])
              // And a third that reads and writes the same catalog meanwhile.
              let (verified, _) = try run(drive.path, state: folder + "/state")
              #expect(verified.code == 0, "\(verified)")
              #expect(try one.wait().code == 0 && other.wait().code == 0)
              try second.unmount()
            }
            try first.unmount()
          }
          #expect(try rows(drive) == 120)
          let (result, report) = try run(drive.path, state: folder + "/state")
          #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
          #expect(report.files.ok + report.files.new == 120 && report.findings.isEmpty)
        }
      }
    }

    @Test func failuresAreOneLine() throws {
      try withTemporaryFolder { folder in
        for words in [["verify", folder], ["verify", folder + "/none"]] {
          let result = try RunningTool([BuiltBinary.path] + words).wait()
          #expect(result.code == 1 && result.errorLines.count == 1 && result.output.isEmpty, "\(result)")
        }
        for words in [["verify"], ["verify", folder, "--export"], ["verify", folder, "--what"]] {
          let result = try RunningTool([BuiltBinary.path] + words).wait()
          #expect(result.code == 2 && result.errorLines.count == 1 && result.output.isEmpty, "\(result)")
        }
        try ToolRun.check(BuiltBinary.path, "init", folder)
        let result = try ToolRun.run(
          BuiltBinary.path, "verify", folder, "--export", folder + "/none/list",
          environment: ["XDG_STATE_HOME": folder + "/state"])
        #expect(result.code == 1 && result.errorLines.count == 1, "\(result)")
      }
    }

    /// The catalog's rows, past the program.
    private func rows(_ drive: LoopDrive) throws -> Int {
      var handle: OpaquePointer?
      defer { sqlite3_close(handle) }
      let path = drive.path + "/.foldic/catalog.sqlite"
      guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
        throw ToolError(description: "cannot open \(path)")
      }
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      guard sqlite3_prepare_v2(handle, "SELECT count(*) FROM copy", -1, &statement, nil) == SQLITE_OK,
        sqlite3_step(statement) == SQLITE_ROW
      else { throw ToolError(description: "cannot read \(path)") }
      return Int(sqlite3_column_int64(statement, 0))
    }
  }
}
