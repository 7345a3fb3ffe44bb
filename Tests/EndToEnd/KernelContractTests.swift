import LibraryMaker
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension EndToEndTests {
  /// What programs may count on when they write into `Backup/`.
  @Suite(.enabled(if: Requirement.hasDrives, Requirement.driveText)) struct KernelContractTests {
    private func withBackup(
      _ fileSystem: LoopDrive.FileSystem, megabytes: Int = 64, _ body: (MountFixture, LoopDrive) throws -> Void
    ) throws {
      try LoopDrive.with(fileSystem, megabytes: megabytes) { drive in
        try MountFixture.with(.sample, backup: drive.path) { (mount, _) throws in try body(mount, drive) }
      }
    }

    /// Without what mkfs.ext4 puts into every drive.
    private func own(_ names: [String]) -> [String] { names.filter { !$0.hasPrefix("lost+found") } }

    // Case 23 (opendal-yinyang 18): flush comes once for every duplicate of a descriptor.
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func whatIsWrittenAfterADuplicateWasClosedIsKept(fileSystem: LoopDrive.FileSystem) throws {
      try withBackup(fileSystem) { mount, drive in
        let script = "cd \"$1\"; exec 3>x; echo a >&3; bash -c 'echo b >&3'; echo c >&3; exec 3>&-; cat x"
        let result = try ToolRun.shell(script, mount.backup)
        #expect(result.code == 0 && result.output == "a\nb\nc\n", "\(result)")
        try mount.unmount()
        try drive.remount()
        #expect(try FileContents.read(drive.path + "/x") == Array("a\nb\nc\n".utf8))
      }
    }

    // Case 28 (go-mtpfs 103): the kernel does not check for FUSE whether a folder is empty.
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func aFullFolderIsNotRemoved(fileSystem: LoopDrive.FileSystem) throws {
      try withBackup(fileSystem) { mount, _ in
        let folder = mount.backup + "/folder"
        try ToolRun.check("mkdir", folder)
        for names in [["photo.jpg"], ["photo.jpg", "._photo.jpg"], ["._no AppleDouble"]] {
          for name in names { try FileContents.write("content", to: "\(folder)/\(name)") }
          #expect(rmdir(folder) == -1 && errno == ENOTEMPTY, "with \(names)")
          for name in names {
            #expect(try FileContents.read("\(folder)/\(name)") == Array("content".utf8))
            unlink("\(folder)/\(name)")
          }
        }
        // A file that is not committed yet.
        let descriptor = open(folder + "/open", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        #expect(descriptor >= 0)
        #expect(rmdir(folder) == -1 && errno == ENOTEMPTY)
        close(descriptor)
        unlink(folder + "/open")
        #expect(rmdir(folder) == 0)
      }
    }

    // Case 16 (boxfs2 15): release is asynchronous, so the commit must be over when close returns.
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func aFileIsFoundTheMomentCloseOrRenameReturns(fileSystem: LoopDrive.FileSystem) throws {
      try withBackup(fileSystem) { mount, _ in
        for number in 0..<150 {
          let text = Array("version \(number)".utf8)
          try FileContents.write(text, to: mount.backup + "/new")
          #expect(try FileContents.read(mount.backup + "/new") == text)
          #expect(rename(mount.backup + "/new", mount.backup + "/final") == 0)
          #expect(FileContents.openError(mount.backup + "/new") == ENOENT)
          #expect(try FileContents.read(mount.backup + "/final") == text)
        }
      }
    }

    // Case 12 (burp 814, bun 41798, mc 2829): a full drive.
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func aFullDriveFailsTheWriterAndKeepsTheEarlierVersion(fileSystem: LoopDrive.FileSystem) throws {
      try withBackup(fileSystem, megabytes: 24) { mount, drive in
        let old = mount.backup + "/movie.mov"
        try FileContents.write("the old version", to: old)
        let free = try FileContents.freeSpace(drive.path)
        try withTemporaryFolder { folder in
          try ToolRun.check("dd", "if=/dev/urandom", "of=\(folder)/large", "bs=1M", "count=40", "status=none")
          for name in ["movie.mov", "another.mov"] {
            let result = try ToolRun.run("cp", folder + "/large", mount.backup + "/" + name)
            #expect(result.code != 0 && result.errors.contains("No space left"), "\(result)")
          }
          let result = try ToolRun.run("rsync", folder + "/large", mount.backup + "/third.mov")
          #expect(result.code != 0, "\(result)")
        }
        #expect(try FileContents.read(old) == Array("the old version".utf8))
        #expect(try own(FolderListing.names(mount.backup)) == ["movie.mov"])
        let left = try FileContents.freeSpace(drive.path)
        #expect(left > free - (1 << 20), "\(free - left) bytes did not come back")
        // And it works again.
        try FileContents.write("the new version", to: old)
        #expect(try FileContents.read(old) == Array("the new version".utf8))
      }
    }

    // Case 13 (osxphotos 406): what is refused for its name or its kind leaves nothing.
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func aRefusedFileLeavesNothingBehind(fileSystem: LoopDrive.FileSystem) throws {
      try withBackup(fileSystem) { (mount, drive) throws in
        let long = mount.backup + "/" + String(repeating: "n", count: 256)
        #expect(throws: FailedCall.self) { try FileContents.write("x", to: long) }
        #expect(mkfifo(mount.backup + "/pipe", 0o644) == -1)
        #expect(symlink("/etc/passwd", mount.backup + "/link") == -1)
        // Not UTF-8: a lone surrogate, an overlong slash, Latin-1.
        for bytes: [UInt8] in [[0xED, 0xA0, 0x80], [0xC0, 0xAF], [0x63, 0x61, 0x66, 0xE9]] {
          let path = Array((mount.backup + "/").utf8) + bytes + [0]
          let descriptor = path.withUnsafeBytes { buffer -> Int32 in
            guard let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) else { return -1 }
            return open(start, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
          }
          #expect(descriptor == -1, "\(bytes)")
          if descriptor >= 0 { close(descriptor) }
        }
        #expect(try own(FolderListing.names(mount.backup)) == [])
        #expect(try own(FolderListing.files(below: drive.path, skip: ".foldic")) == [])
      }
    }

    // Case 8 (marfs 174): cp -p sets times before close, rsync between close and rename.
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func timesSurviveTheCommit(fileSystem: LoopDrive.FileSystem) throws {
      try withBackup(fileSystem) { mount, _ in
        let source = mount.path + "/Albums/Trips/Asia/Japan 2023/IMG_0003.JPG"
        try ToolRun.check("cp", "-p", source, mount.backup + "/a")
        try ToolRun.check("rsync", "-t", source, mount.backup + "/b")
        // Whole seconds: what a drive cannot hold is kept in a later version of the backup format.
        let expected = try ToolRun.check("stat", "-c", "%Y", source).output
        for name in ["a", "b"] {
          #expect(try ToolRun.check("stat", "-c", "%Y", "\(mount.backup)/\(name)").output == expected)
        }
      }
    }

    // Case 34 (NethServer 5720): the drive is not there, or another one is.
    @Test func anotherDriveInItsPlaceIsNeverWrittenTo() throws {
      try LoopDrive.with(.ext4, megabytes: 32) { drive in
        try withTemporaryFolder { folder in
          let manifest = try LibraryMaker.write(.sample, to: folder + "/S.photoslibrary")
          try ToolRun.check(BuiltBinary.path, "init", drive.path)
          try drive.unmount()
          // Only the empty folder on the root disk is there.
          try ToolRun.check("mkdir", folder + "/mount")
          let refused = try ToolRun.run(
            BuiltBinary.path, manifest.path, folder + "/mount", "-o", "backup=" + drive.path)
          #expect(refused.code == 1 && refused.errorLines.count == 1, "\(refused)")
          #expect(try FolderListing.names(drive.path).isEmpty)
          try drive.mount()

          try MountFixture.with(library: manifest.path, options: ["backup=" + drive.path]) { mount in
            try FileContents.write("one", to: mount.backup + "/one")
            // Another drive, marked as a backup too, comes in over the first.
            try ToolRun.check("mkdir", folder + "/other")
            try ToolRun.check(BuiltBinary.path, "init", folder + "/other")
            let before = try TreeDigest(of: folder + "/other")
            try ToolRun.check("mount", "--bind", folder + "/other", drive.path)
            defer { _ = try? ToolRun.run("umount", drive.path) }
            _ = try? FileContents.write("two", to: mount.backup + "/two")
            #expect(try TreeDigest(of: folder + "/other").difference(from: before) == [])
          }
        }
      }
    }

    @Test func theViewsAreReadOnly() throws {
      try withBackup(.ext4) { mount, _ in
        let photo = mount.path + "/Albums/Family/IMG_0002.JPG"
        #expect(throws: FailedCall.self) { try FileContents.write("x", to: photo) }
        #expect(unlink(photo) == -1 && errno == EROFS)
        #expect(mkdir(mount.path + "/Albums/new", 0o755) == -1 && errno == EROFS)
        #expect(rename(photo, mount.backup + "/x") == -1)
        #expect(FileContents.openError(photo) == 0)
      }
    }
  }
}
