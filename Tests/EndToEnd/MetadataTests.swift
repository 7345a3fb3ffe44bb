import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension EndToEndTests {
  /// What drives cannot hold is kept all the same, as the usual programs see it.
  @Suite(.enabled(if: Requirement.hasDrives, Requirement.driveText)) struct MetadataTests {
    /// Mounts a drive, calls `before`, takes mount and drive away and back, calls `after` with the backup folder.
    private func acrossRemount(
      _ fileSystem: LoopDrive.FileSystem, environment: [String: String] = [:],
      _ before: (_ backup: String, _ folder: String) throws -> Void,
      _ after: (_ backup: String, _ drive: LoopDrive) throws -> Void
    ) throws {
      try LoopDrive.with(fileSystem) { drive in
        try MountFixture.with(backup: drive.path) { (mount, _) throws in
          try withTemporaryFolder { folder in try before(mount.backup, folder) }
          try mount.unmount()
          try drive.remount()
          try mount.mount()
          try after(mount.backup, drive)
        }
      }
    }

    private func time(_ path: String) throws -> String {
      String(try ToolRun.check("stat", "-c", "%.9Y", path).output.dropLast())
    }

    private static let moment = "@1234567890.123456789"
    private static let exact = "1234567890.123456789"

    // Case 8 (marfs 174): cp sets times before close, rsync after it.
    @Test(.enabled(if: Requirement.hasRsync, "needs rsync"), arguments: LoopDrive.FileSystem.allCases)
    func timesSurviveToTheNanosecond(fileSystem: LoopDrive.FileSystem) throws {
      try acrossRemount(fileSystem) { (backup, folder) throws in
        try FileContents.write("content", to: folder + "/a")
        try ToolRun.check("touch", "-d", Self.moment, folder + "/a")
        try ToolRun.check("cp", "-p", folder + "/a", backup + "/copied")
        try ToolRun.check("rsync", "-a", folder + "/a", backup + "/synced")
        try FileContents.write("x", to: backup + "/touched")
        try ToolRun.check("touch", "-d", Self.moment, backup + "/touched")
        try ToolRun.check("mkdir", backup + "/folder")
        try ToolRun.check("touch", "-d", Self.moment, backup + "/folder")
        for name in ["copied", "synced", "touched", "folder"] { #expect(try time(backup + "/" + name) == Self.exact) }
      } _: { (backup, _) throws in
        for name in ["copied", "synced", "touched", "folder"] {
          #expect(try time(backup + "/" + name) == Self.exact, "\(name)")
        }
        #expect(try FolderListing.names(backup).filter { $0.hasPrefix("._") } == [])
      }
    }

    // Case 9 (netatalk-client 159).
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func eachTimeIsSetByItself(fileSystem: LoopDrive.FileSystem) throws {
      try acrossRemount(fileSystem) { (backup, _) throws in
        let path = backup + "/a"
        try FileContents.write("x", to: path)
        try ToolRun.check("touch", "-d", Self.moment, path)
        try ToolRun.check("touch", "-a", path)
        #expect(try time(path) == Self.exact)
        try ToolRun.check("touch", "-a", "-d", "@1300000000", path)
        #expect(try time(path) == Self.exact)
        try FileContents.write("y", to: backup + "/b")
        try ToolRun.check("touch", "-d", Self.moment, backup + "/b")
        try ToolRun.check("touch", "-m", backup + "/b")
        #expect(try time(backup + "/b") > Self.exact)
      } _: { (backup, drive) throws in
        #expect(try time(backup + "/a") == Self.exact)
        #expect(!FileContents.exists(drive.path + "/._b"))
      }
    }

    // Case 31 (relan/exfat 200): a drive that was filled under one zone is mounted under another.
    @Test(.enabled(if: Requirement.hasRsync, "needs rsync"))
    func anotherTimeZoneIsNoChange() throws {
      try LoopDrive.with(.exfat) { drive in
        try MountFixture.with(backup: drive.path) { (mount, _) throws in
          let arguments = ["rsync", "-ai", mount.path + "/Albums/Trips", mount.backup]
          try RunningTool(arguments).wait()
          try mount.unmount()
          try drive.unmount()
          setenv("TZ", "Asia/Kathmandu", 1)
          defer { unsetenv("TZ") }
          try drive.mount()
          try mount.mount()
          let result = try RunningTool(arguments).wait()
          #expect(result.code == 0 && !result.output.contains(">f"), "\(result)")
        }
      }
    }

    @Test(
      .enabled(if: Requirement.hasTool("setfattr") && Requirement.hasRsync, "needs attr and rsync"),
      arguments: LoopDrive.FileSystem.allCases)
    func attributesAreKeptByEveryProgram(fileSystem: LoopDrive.FileSystem) throws {
      func dump(_ path: String) throws -> String {
        try ToolRun.check("getfattr", "--only-values", "-n", "user.note", path).output
      }
      try acrossRemount(fileSystem) { (backup, folder) throws in
        try FileContents.write("content", to: folder + "/a")
        for (name, value) in [("user.note", "Gr\u{FC}\u{DF}e"), ("user.com.apple.quarantine", "q")] {
          try ToolRun.check("setfattr", "-n", name, "-v", value, folder + "/a")
        }
        try ToolRun.check("cp", "--preserve=xattr,timestamps", folder + "/a", backup + "/copied")
        try ToolRun.check("rsync", "-aX", folder + "/a", backup + "/synced")
        let again = try ToolRun.check("rsync", "-aXi", folder + "/a", backup + "/synced")
        #expect(again.output.isEmpty, "\(again)")
        try ToolRun.check("tar", "--xattrs", "-C", folder, "-cf", folder + "/t.tar", "a")
        try ToolRun.check("mkdir", backup + "/tar")
        try ToolRun.check("tar", "--xattrs", "-C", backup + "/tar", "-xf", folder + "/t.tar")
        try ToolRun.check("setfattr", "-n", "user.note", "-v", "folder", backup + "/tar")
        try ToolRun.check("mv", backup + "/copied", backup + "/tar/moved")
      } _: { (backup, drive) throws in
        for path in ["synced", "tar/a", "tar/moved"] {
          #expect(try dump(backup + "/" + path) == "Gr\u{FC}\u{DF}e", "\(path)")
        }
        #expect(try dump(backup + "/tar") == "folder")
        let list = try ToolRun.check("getfattr", "-m", "-", backup + "/synced").output
        #expect(list.contains("user.com.apple.quarantine") && !list.contains("org.foldicfs"), "\(list)")
        #expect(FileContents.exists(drive.path + "/._synced") == (fileSystem == .exfat))
        if fileSystem == .exfat, Requirement.hasTool("lsar") {
          // An independent reader finds the same.
          let result = try ToolRun.check("lsar", "-j", drive.path + "/._synced")
          #expect(result.output.contains("com.apple.quarantine"), "\(result)")
        }
        try ToolRun.check("rm", "-r", backup + "/tar", backup + "/synced")
        #expect(try FolderListing.names(drive.path).filter { $0.hasPrefix("._") } == [])
      }
    }

    // Cases 3, 5 and 29 (owncloud client 416).
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func namesAreReadBackAsWritten(fileSystem: LoopDrive.FileSystem) throws {
      let names = [
        "a", "a.", "a ", "a. .", "a\u{2026}", "a\u{FF0E}", "12:30?", "new\nline", "CON.jpg",
        String(repeating: "\u{3042}", count: 251) + ".jpg",
      ]
      func check(_ backup: String) throws {
        #expect(Set(try FolderListing.names(backup)).subtracting(["lost+found"]) == Set(names))
        for name in names { #expect(try FileContents.read(backup + "/" + name) == Array(name.utf8), "\(name)") }
      }
      try acrossRemount(fileSystem) { (backup, folder) throws in
        for name in names { try FileContents.write(name, to: backup + "/" + name) }
        try check(backup)
        let composed = backup + "/caf\u{E9}"
        try FileContents.write("1", to: composed)
        #expect(FileContents.exists(backup + "/cafe\u{301}"))
        #expect(try ToolRun.shell("set -C; echo 2 > \"$1\"", backup + "/cafe\u{301}").code != 0)
        try ToolRun.check("rm", composed)
        #expect(try ToolRun.run("touch", backup + "/" + String(repeating: "z", count: 256)).errors.contains("too long"))
        #expect(try ToolRun.run("mkfifo", backup + "/fifo").errors.contains("not permitted"))
        #expect(try ToolRun.shell("touch \"$1\"/$'\\xed\\xa0\\x80'", backup).code != 0)
        try check(backup)
      } _: { (backup, drive) throws in
        try check(backup)
        #expect(FileContents.exists(drive.path + "/12\u{FF1A}30\u{FF1F}"))
      }
    }

    /// A change through a shared mapping is a change in place: whole when msync or close returns, not before.
    @Test(.enabled(if: Requirement.allowsMappings, "needs Linux 6.6"), arguments: LoopDrive.FileSystem.allCases)
    func aSharedMappingCommits(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        try MountFixture.with(backup: drive.path) { (mount, _) throws in
          let size = 300_000
          var content = [UInt8](repeating: 0x61, count: size)
          try FileContents.write(content, to: mount.backup + "/a")
          let file = open(mount.backup + "/a", O_RDWR)
          try #require(file >= 0)
          defer { close(file) }
          let mapping = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
          guard let mapping, mapping != MAP_FAILED else {
            Issue.record("mmap: \(String(cString: strerror(errno)))")
            return
          }
          func change(_ offset: Int, _ byte: UInt8) {
            content[offset] = byte
            mapping.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
          }
          change(0, 0x62)
          change(200_000, 0x63)
          #expect(msync(mapping, size, MS_SYNC) == 0)
          #expect(try FileContents.read(drive.path + "/a") == content)
          let committed = content
          change(100_000, 0x64)
          #expect(try FileContents.read(drive.path + "/a") == committed)
          #expect(munmap(mapping, size) == 0)
          #expect(close(dup(file)) == 0)
          #expect(try FileContents.read(drive.path + "/a") == content)
          #expect(try FileContents.read(mount.backup + "/a") == content)
        }
      }
    }

    // Cases 15 and 28 (fuse-nio-adapter 20, go-mtpfs 103).
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func aFolderWithOrphansOnlyIsRemoved(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        for folder in ["orphans", "photo", "other"] { try ToolRun.check("mkdir", drive.path + "/" + folder) }
        let sidecar: [UInt8] =
          [0, 5, 0x16, 7, 0, 2, 0, 0] + [UInt8](repeating: 0x20, count: 16) + [0, 2]
          + [0, 0, 0, 9, 0, 0, 0, 50, 0, 0, 0, 32] + [0, 0, 0, 2, 0, 0, 0, 82, 0, 0, 0, 0]
          + [UInt8](repeating: 1, count: 32)
        for path in ["orphans/._a", "photo/._a"] { try FileContents.write(sidecar, to: drive.path + "/" + path) }
        try FileContents.write("x", to: drive.path + "/photo/a")
        try FileContents.write("no sidecar", to: drive.path + "/other/._a")
        try MountFixture.with(backup: drive.path) { (mount, _) throws in
          #expect(try FolderListing.names(mount.backup + "/photo") == ["a"])
          try ToolRun.check("rmdir", mount.backup + "/orphans")
          for folder in ["photo", "other"] {
            #expect(try ToolRun.run("rmdir", mount.backup + "/" + folder).errors.contains("not empty"))
          }
          // Case 30 (relan/exfat 8): a file with a sidecar changes its case.
          try ToolRun.check("mv", mount.backup + "/photo/a", mount.backup + "/photo/A")
          #expect(try FolderListing.names(drive.path + "/photo").sorted() == ["._A", "A"])
          try ToolRun.check("rm", "-r", mount.backup + "/photo")
        }
        #expect(Set(try FolderListing.names(drive.path)).isSuperset(of: ["other"]))
        #expect(!FileContents.exists(drive.path + "/photo"))
      }
    }
  }
}
