import LibraryMaker
import Testing

extension EndToEndTests {
  /// The main job: albums copied to a drive with the programs that people use.
  @Suite(.enabled(if: Requirement.hasDrives, Requirement.driveText)) struct CopyTests {
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func aRecursiveCopyIsTheSameAfterTheDriveWasAway(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        try MountFixture.with(backup: drive.path) { mount, manifest in
          try ToolRun.check("cp", "-r", mount.path + "/Albums/Trips", mount.path + "/Albums/Family", mount.backup)
          try expectSame(mount, manifest, drive, albums: ["Trips", "Family"])
        }
      }
    }

    @Test(.enabled(if: Requirement.hasRsync, "needs rsync"), arguments: LoopDrive.FileSystem.allCases)
    func anRsyncIsTheSameAfterTheDriveWasAway(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        try MountFixture.with(backup: drive.path) { mount, manifest in
          try ToolRun.check("rsync", "-a", mount.path + "/Albums/Trips", mount.path + "/Albums/Family", mount.backup)
          try expectSame(mount, manifest, drive, albums: ["Trips", "Family"])
        }
      }
    }

    // Case 10 (rsync 245): exFAT rounds times, and yet nothing is copied again.
    @Test(.enabled(if: Requirement.hasRsync, "needs rsync"), arguments: LoopDrive.FileSystem.allCases)
    func aSecondRsyncTransfersNothing(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        try MountFixture.with(backup: drive.path) { mount, _ in
          let arguments = ["rsync", "-ai", mount.path + "/Albums/Trips", mount.backup]
          #expect(try RunningTool(arguments).wait().output.contains(">f"))
          try expectNothingTransferred(RunningTool(arguments).wait())
          // Nor after a new start, from the drive's own memory.
          try mount.unmount()
          try drive.remount()
          try mount.mount()
          try expectNothingTransferred(RunningTool(arguments).wait())
        }
      }
    }

    // Case 11: owners and modes that a drive does not have are no errors.
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func anArchivingCopyIsSilent(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        try MountFixture.with(backup: drive.path) { mount, _ in
          let result = try ToolRun.run("cp", "-a", mount.path + "/Albums/Trips", mount.backup)
          #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
        }
      }
    }

    // rsync 437, osxphotos 134: files with one name, or names that a drive cannot tell apart, must all arrive.
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func everyFileOfAnAlbumArrivesWhateverItsName(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        try MountFixture.with(backup: drive.path) { mount, manifest in
          let source = mount.path + "/Albums/Trips/Asia/Japan 2023"
          try ToolRun.check("cp", "-r", source, mount.backup)
          let album = try #require(manifest.album("Trips", "Asia", "Japan 2023"))
          let expected = try hashes(
            manifest.visibleMembers(of: album).flatMap(\.files).compactMap(\.path).map { manifest.path + "/" + $0 })
          try mount.unmount()
          try drive.remount()
          let folder = drive.path + "/Japan 2023"
          let files = try FolderListing.files(below: folder)
          #expect(files.count == expected.count)
          #expect(try hashes(files.map { folder + "/" + $0 }) == expected)
        }
      }
    }

    // Case 1 (cryptomator 1487): rsync's own temporary name for this file looks like a sidecar.
    @Test(.enabled(if: Requirement.hasRsync, "needs rsync"), arguments: LoopDrive.FileSystem.allCases)
    func aFileWhoseTemporaryNameLooksLikeASidecarArrives(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        try MountFixture.with(.sample, backup: drive.path) { (mount, _) throws in
          try withTemporaryFolder { folder in
            try FileContents.write("content", to: folder + "/_Testfile.txt")
            let result = try ToolRun.run("rsync", "-a", folder + "/_Testfile.txt", mount.backup + "/")
            #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
          }
          #expect(try FileContents.read(mount.backup + "/_Testfile.txt") == Array("content".utf8))
          #expect(try FolderListing.names(mount.backup).filter { $0.hasPrefix("._") } == [])
        }
      }
    }

    /// Lines for files sent begin with `>f`, for things made with `c`. Modes that a drive does not keep may be told again.
    private func expectNothingTransferred(_ result: ToolResult) throws {
      #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
      let transfers = result.output.split(separator: "\n").filter { !$0.hasPrefix(".") }
      #expect(transfers.isEmpty, "\(result)")
    }

    private func hashes(_ paths: [String]) throws -> [UInt64] {
      try paths.map { TreeDigest.hash(try FileContents.read($0)) }.sorted()
    }

    /// Takes the mount and the drive away and back, then compares the drive with a view that never had a backup.
    private func expectSame(
      _ mount: MountFixture, _ manifest: LibraryManifest, _ drive: LoopDrive, albums: [String]
    ) throws {
      try mount.unmount()
      try drive.remount()
      try MountFixture.with(library: manifest.path) { view in
        for album in albums {
          // Exact times are in sidecars, which the library has not.
          let result = try ToolRun.run(
            "diff", "-r", "-x", "._*", "\(view.path)/Albums/\(album)", "\(drive.path)/\(album)")
          #expect(result.code == 0 && result.output.isEmpty, "\(result)")
        }
      }
    }
  }
}
