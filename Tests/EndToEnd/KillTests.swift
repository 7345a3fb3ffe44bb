import LibraryMaker
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension EndToEndTests {
  /// The serving process dies in the middle of a copy (case 14: libfuse 41, gcsfuse 79).
  @Suite(.enabled(if: Requirement.hasDrives, Requirement.driveText)) struct KillTests {
    @Test(arguments: LoopDrive.FileSystem.allCases, [1, 4, 9])
    func everyFinalNameIsWholeAndNoTemporaryFileStays(fileSystem: LoopDrive.FileSystem, filesBefore: Int) throws {
      try LoopDrive.with(fileSystem, megabytes: 256) { drive in
        let plan = LibraryPlan.generated(assets: 40, albums: 1, seed: 77, size: 3 << 20)
        try MountFixture.with(plan, backup: drive.path) { mount, manifest in
          let daemon = try mount.daemon()
          let copied = drive.path + "/All Photos"
          let copy = try RunningTool(["cp", "-r", mount.path + "/All Photos", mount.backup])
          let reached = waitUntil(seconds: 60) {
            ((try? FolderListing.names(copied).count) ?? 0) >= filesBefore || !copy.isRunning
          }
          #expect(reached)
          try mount.killDaemon(daemon)
          #expect(try copy.wait().code != 0, "the copy must not look complete")

          // The dead mount stays until somebody clears it; an empty folder would be taken for an empty library.
          #expect(FileContents.openError(mount.path) == ENOTCONN)
          try mount.mount()
          let originals = Set(
            try manifest.assets.flatMap(\.files).compactMap(\.path).map {
              TreeDigest.hash(try FileContents.read(manifest.path + "/" + $0))
            })
          let files = try FolderListing.files(below: drive.path, skip: ".foldic").filter {
            $0.hasPrefix("All Photos/")
          }
          #expect(files.count >= min(filesBefore, 1))
          for file in files {
            let hash = TreeDigest.hash(try FileContents.read(drive.path + "/" + file))
            #expect(originals.contains(hash), "\(file) is not whole")
          }
          #expect(try temporaryFiles(drive).isEmpty)
          // The same copy once more ends the work.
          try ToolRun.check("cp", "-r", mount.path + "/All Photos", mount.backup)
          try ToolRun.check("diff", "-r", mount.path + "/All Photos", mount.backup + "/All Photos")
        }
      }
    }

    // The driver goes on when foldicfs dies: what it has in hand must be left in order.
    @Test func aKillInTheMiddleOfReplacingLeavesACleanExFATDrive() throws {
      try LoopDrive.with(.exfat, megabytes: 128) { drive in
        try MountFixture.with(.sample, backup: drive.path) { mount, _ in
          for round in 0..<3 {
            let daemon = try mount.daemon()
            let script = """
              cd "$1" && mkdir "$2" && cd "$2" || exit 1
              while :; do for version in a b c d; do for name in 1 2 3 4 5 6; do
              head -c 200000 /dev/zero | tr '\\0' "$version" >"$name.tmp" && mv "$name.tmp" "$name" || exit 1
              head -c 200000 /dev/zero | tr '\\0' "$version" >"direct $name" || exit 1; done; done; done
              """
            let writer = try RunningTool(["bash", "-c", script, "bash", mount.backup, "round \(round)"])
            #expect(waitUntil(seconds: 60) { FileContents.exists(drive.path + "/round \(round)/direct 6") })
            try mount.killDaemon(daemon)
            _ = try writer.wait()
            mount.clear()
            try drive.unmount()
            try ToolRun.check("fsck.exfat", "-n", drive.image)
            try drive.mount()
            try mount.mount()
            #expect(try temporaryFiles(drive).filter { !$0.contains("/") }.isEmpty)
            // Files with the same bytes and second may be kept as twins.
            let records = try FolderListing.names(drive.path + "/.foldic/intents")
            #expect(records.filter { !$0.hasSuffix(".twin") } == [])
            for file in try FolderListing.files(below: drive.path, skip: ".foldic") where !file.hasSuffix(".tmp") {
              let bytes = try FileContents.read(drive.path + "/" + file)
              // A shell closes a duplicate of what it has just emptied: that is a version too (case 23).
              let isWhole = bytes.count == 200_000 || bytes.isEmpty && file.contains("direct")
              #expect(isWhole, "\(file) is not whole")
              #expect(bytes.allSatisfy { $0 == bytes.first }, "\(file) is torn")
            }
          }
        }
      }
    }

    @Test func anotherSessionsTemporaryFilesAreLeftAlone() throws {
      try LoopDrive.with(.ext4) { drive in
        try MountFixture.with(backup: drive.path) { mount, manifest in
          // A file is being written in one session while a second one starts on the same drive.
          let script =
            "exec 3>\"$1/open\"; printf first >&3; : >\"$2\"; read -r _ <\"$3\"; printf second >&3; exec 3>&-"
          try withTemporaryFolder { folder in
            try ToolRun.check("mkfifo", folder + "/go")
            let writer = try RunningTool([
              "bash", "-c", script, "bash", mount.backup, folder + "/begun", folder + "/go",
            ])
            #expect(waitUntil(seconds: 30) { FileContents.exists(folder + "/begun") })
            try MountFixture.with(library: manifest.path, options: ["backup=\(drive.path)"]) { _ in }
            try ToolRun.check("bash", "-c", "echo >\"$1\"", "bash", folder + "/go")
            #expect(try writer.wait().code == 0)
            #expect(try FileContents.read(mount.backup + "/open") == Array("firstsecond".utf8))
          }
        }
      }
    }

    private func temporaryFiles(_ drive: LoopDrive) throws -> [String] {
      let folder = drive.path + "/.foldic/tmp"
      guard FileContents.exists(folder) else { return [] }
      // The session that runs now may hold a lock there.
      return try FolderListing.files(below: folder).filter { !$0.contains("lock") }
    }
  }
}
