import LibraryMaker
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension EndToEndTests {
  /// When what a program writes is on the drive, and when it must not be.
  @Suite(.enabled(if: Requirement.hasDrives, Requirement.driveText)) struct CommitMomentTests {
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func withoutWaitingForTheDriveAllIsThereAfterTheUnmount(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        let plan = LibraryPlan.generated(assets: 60, albums: 1, seed: 5, size: 200_000)
        try MountFixture.with(plan, backup: drive.path, options: ["commit=fsync"]) { mount, manifest in
          try ToolRun.check("cp", "-r", mount.path + "/All Photos", mount.backup)
          try ToolRun.check("diff", "-r", mount.path + "/All Photos", mount.backup + "/All Photos")
          try mount.unmount()
          try drive.remount()
          let originals = Set(
            try manifest.assets.flatMap(\.files).compactMap(\.path).map {
              TreeDigest.hash(try FileContents.read(manifest.path + "/" + $0))
            })
          let files = try FolderListing.files(below: drive.path + "/All Photos")
          #expect(files.count == originals.count)
          for file in files {
            #expect(originals.contains(TreeDigest.hash(try FileContents.read(drive.path + "/All Photos/" + file))))
          }
        }
      }
    }

    @Test func fsyncStillMeansThatTheDriveHasIt() throws {
      try LoopDrive.with(.ext4) { drive in
        try MountFixture.with(backup: drive.path, options: ["commit=fsync"]) { mount, _ in
          let daemon = try mount.daemon()
          try ToolRun.check("dd", "if=/dev/zero", "of=\(mount.backup)/synced", "bs=1000", "count=50", "conv=fsync")
          try mount.killDaemon(daemon)
          #expect(try FileContents.read(drive.path + "/synced").count == 50_000)
          try mount.mount()
        }
      }
    }

    // Whole or absent: a copy that its user broke off leaves no cut-short photo, and the old version stands.
    @Test(arguments: ["commit=close", "commit=fsync"], [SIGKILL, SIGINT])
    func aWriterThatASignalKilledCommitsNothing(moment: String, signal: Int32) throws {
      try LoopDrive.with(.ext4) { drive in
        try MountFixture.with(backup: drive.path, options: [moment]) { mount, _ in
          try FileContents.write("the old version", to: mount.backup + "/old.jpg")
          try withTemporaryFolder { folder in
            try ToolRun.check("mkfifo", folder + "/endless")
            for name in ["old.jpg", "new.jpg"] {
              // The shell holds the pipe open, so that cp waits for more in the middle of its copy.
              let script = "exec 4<>\"$1/endless\"; head -c 50000 /dev/zero >&4; exec cp \"$1/endless\" \"$2\""
              let copy = try RunningTool([
                "bash", "-c", script, "bash", folder, mount.backup + "/" + name,
              ])
              let begun = waitUntil(seconds: 30) {
                ((try? FolderListing.files(below: drive.path + "/.foldic/tmp").filter { !$0.contains("lock") }) ?? [])
                  .isEmpty == false
              }
              #expect(begun)
              copy.send(signal)
              #expect(try copy.wait().code != 0)
            }
          }
          let settled = waitUntil(seconds: 30) {
            (try? FolderListing.names(mount.backup).filter { $0 != "lost+found" }) == ["old.jpg"]
          }
          #expect(settled)
          #expect(try FileContents.read(mount.backup + "/old.jpg") == Array("the old version".utf8))
        }
      }
    }
  }
}
