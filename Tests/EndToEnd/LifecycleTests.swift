import LibraryMaker
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension EndToEndTests {
  /// Start and end of a mount, and that the library is never written.
  @Suite(.enabled(if: Requirement.canMount, Requirement.mountText)) struct LifecycleTests {
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalEndsTheForegroundCleanly(signal: Int32) throws {
      try withForeground { tool, mountpoint in
        kill(tool.processID, signal)
        let result = try tool.wait(seconds: 30)
        #expect(result.code == 0, "\(result)")
        #expect(try !MountFixture.isMounted(mountpoint))
      }
    }

    @Test func fusermountEndsTheForegroundCleanly() throws {
      try withForeground { tool, mountpoint in
        try ToolRun.check("fusermount3", "-u", mountpoint)
        let result = try tool.wait(seconds: 30)
        #expect(result.code == 0, "\(result)")
      }
    }

    @Test func theCommandReturnsOnlyWhenTheTreeCanBeUsed() throws {
      for _ in 0..<5 {
        try MountFixture.with(.sample) { (mount, _) throws in
          #expect(try FolderListing.names(mount.path + "/Albums").contains("Trips"))
        }
      }
    }

    @Test func relativePathsWork() throws {
      try withTemporaryFolder { folder in
        try LibraryMaker.write(.sample, to: folder + "/S.photoslibrary")
        try ToolRun.check("mkdir", folder + "/mount", folder + "/drive")
        let fixture = MountFixture(library: folder + "/S.photoslibrary", at: folder + "/mount", options: [])
        defer { fixture.clear() }
        let script = """
          cd "$1" && "$2" init drive && "$2" S.photoslibrary mount -o backup=drive && \
          cp mount/Albums/Family/IMG_0002.JPG mount/Backup/ && "$2" unmount mount
          """
        let result = try ToolRun.shell(script, folder, BuiltBinary.path)
        #expect(result.code == 0, "\(result)")
        #expect(FileContents.exists(folder + "/drive/IMG_0002.JPG"))
        #expect(try !MountFixture.isMounted(folder + "/mount"))
      }
    }

    @Test(arguments: [LibraryPlan.WriteAheadLog.absent, .empty, .pending])
    func theLibraryIsNeverWritten(log: LibraryPlan.WriteAheadLog) throws {
      try withTemporaryFolder { folder in
        var plan = LibraryPlan.sample
        plan.writeAheadLog = log
        let manifest = try LibraryMaker.write(plan, to: folder + "/S.photoslibrary")
        let before = try TreeDigest(of: manifest.path)
        try MountFixture.with(library: manifest.path) { mount in
          // The pending rows are seen as well.
          #expect(try FolderListing.names(mount.path + "/Albums/Family").count >= 4)
          _ = try ToolRun.run("tar", "-cf", "/dev/null", "--ignore-failed-read", "-C", mount.path, ".")
          #expect(try TreeDigest(of: manifest.path).difference(from: before) == [])
        }
        #expect(try TreeDigest(of: manifest.path).difference(from: before) == [])
      }
    }

    @Test(
      .enabled(if: Requirement.isRoot, Requirement.rootText), arguments: [LibraryPlan.WriteAheadLog.empty, .pending])
    func aLibraryOnAReadOnlyMountIsReadable(log: LibraryPlan.WriteAheadLog) throws {
      try withTemporaryFolder { folder in
        var plan = LibraryPlan.sample
        plan.writeAheadLog = log
        let manifest = try LibraryMaker.write(plan, to: folder + "/disk/S.photoslibrary")
        try ToolRun.check("mount", "--bind", folder + "/disk", folder + "/disk")
        defer { _ = try? ToolRun.run("umount", folder + "/disk") }
        try ToolRun.check("mount", "-o", "remount,bind,ro", folder + "/disk")
        try MountFixture.with(library: manifest.path) { (mount) throws in
          #expect(try FolderListing.names(mount.path + "/Albums/Family").count >= 4)
        }
      }
    }

    private func withForeground(_ body: (RunningTool, String) throws -> Void) throws {
      try withTemporaryFolder { folder in
        let manifest = try LibraryMaker.write(.sample, to: folder + "/S.photoslibrary")
        let mountpoint = folder + "/mount"
        try ToolRun.check("mkdir", mountpoint)
        let fixture = MountFixture(library: manifest.path, at: mountpoint, options: [])
        defer { fixture.clear() }
        let tool = try RunningTool([BuiltBinary.path, manifest.path, mountpoint, "-f"])
        #expect(waitUntil(seconds: 30) { FileContents.exists(mountpoint + "/Albums") || !tool.isRunning })
        try body(tool, mountpoint)
      }
    }
  }
}
