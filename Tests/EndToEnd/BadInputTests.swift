import LibraryMaker
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension EndToEndTests {
  /// What cannot be mounted is refused in one line that says what and what to do, and nothing on the disk is changed.
  @Suite(.enabled(if: Requirement.canMount, Requirement.mountText)) struct BadInputTests {
    /// A folder with a sample library `S.photoslibrary`, an empty `mount` and a marked `drive`.
    private func withPlace(_ plan: LibraryPlan = .sample, _ body: (String, LibraryManifest) throws -> Void) throws {
      try withTemporaryFolder { folder in
        let manifest = try LibraryMaker.write(plan, to: folder + "/S.photoslibrary")
        try ToolRun.check("mkdir", folder + "/mount", folder + "/drive")
        try ToolRun.check(BuiltBinary.path, "init", folder + "/drive")
        try body(folder, manifest)
      }
    }

    /// Expects `foldicfs` with `arguments` to end with `code` and one line that holds all of `words`.
    private func expectRefusal(
      in folder: String, _ arguments: [String], code: Int32 = 1, words: [String],
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let before = try TreeDigest(of: folder)
      let result = try RunningTool([BuiltBinary.path] + arguments).wait(seconds: 60)
      defer { _ = try? ToolRun.run("fusermount3", "-u", "-z", folder + "/mount") }
      #expect(result.code == code, "\(result)", sourceLocation: sourceLocation)
      if code == 1 {
        #expect(result.errorLines.count == 1, "\(result)", sourceLocation: sourceLocation)
      }
      for word in words {
        #expect(
          result.errors.lowercased().contains(word.lowercased()), "\(word) in \(result)",
          sourceLocation: sourceLocation)
      }
      #expect(result.output.isEmpty, sourceLocation: sourceLocation)
      #expect(try !MountFixture.isMounted(folder + "/mount"), sourceLocation: sourceLocation)
      #expect(try TreeDigest(of: folder).difference(from: before) == [], sourceLocation: sourceLocation)
    }

    @Test func aWrongLibraryIsRefused() throws {
      try withPlace { folder, manifest in
        let mount = folder + "/mount"
        try expectRefusal(in: folder, [folder + "/nothing", mount], words: ["nothing"])
        try ToolRun.check("mkdir", folder + "/plain", folder + "/NoDatabase.photoslibrary", folder + "/iPhoto")
        try FileContents.write("hello", to: folder + "/plain/file")
        try FileContents.write("<plist/>", to: folder + "/iPhoto/AlbumData.xml")
        try expectRefusal(in: folder, [folder + "/plain", mount], words: ["plain"])
        try expectRefusal(in: folder, [folder + "/plain/file", mount], words: ["file"])
        try expectRefusal(in: folder, [folder + "/NoDatabase.photoslibrary", mount], words: ["NoDatabase"])
        try expectRefusal(in: folder, [folder + "/iPhoto", mount], words: ["iPhoto"])
      }
    }

    @Test(arguments: [0, 1, 99, 100, 4096, 40_000, 300_000])
    func aTruncatedDatabaseIsRefused(length: Int) throws {
      try withPlace { folder, manifest in
        let database = manifest.path + "/database/Photos.sqlite"
        let bytes = try FileContents.read(database)
        try FileContents.write(Array(bytes[..<length]), to: database)
        try expectRefusal(in: folder, [manifest.path, folder + "/mount"], words: ["S.photoslibrary"])
      }
    }

    @Test func aDatabaseOfOtherBytesIsRefused() throws {
      try withPlace { folder, manifest in
        let database = manifest.path + "/database/Photos.sqlite"
        var generator = SeededGenerator(seed: 3)
        let noise = (0..<50_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        try FileContents.write(noise, to: database)
        try expectRefusal(in: folder, [manifest.path, folder + "/mount"], words: ["S.photoslibrary"])
      }
    }

    @Test func aNewerSchemaIsTriedWithAWarning() throws {
      try withPlace(with { $0.modelVersion = 99_999 }) { folder, manifest in
        let result = try ToolRun.run(BuiltBinary.path, manifest.path, folder + "/mount")
        defer { MountFixture(library: manifest.path, at: folder + "/mount", options: []).clear() }
        #expect(result.code == 0)
        #expect(result.errors.contains("99999"), "\(result)")
        #expect(try FolderListing.names(folder + "/mount/Albums").contains("Trips"))
      }
    }

    // Case 33 (osxphotos 2165): the next macOS renumbers the table of memberships.
    @Test func aRenumberedMembershipTableIsFoundOrNamed() throws {
      try withPlace(with { $0.membershipEntity = 34 }) { folder, manifest in
        let result = try ToolRun.run(BuiltBinary.path, manifest.path, folder + "/mount")
        defer { MountFixture(library: manifest.path, at: folder + "/mount", options: []).clear() }
        if result.code == 0 {
          #expect(try FolderListing.names(folder + "/mount/Albums/Family").count >= 4)
        } else {
          #expect(result.code == 1 && result.errorLines.count == 1, "\(result)")
        }
      }
    }

    @Test func recordedPathsNeverLeadOutOfTheBundle() throws {
      try withTemporaryFolder { folder in
        try FileContents.write("secret", to: folder + "/secret.jpeg")
        try ToolRun.check("mkdir", folder + "/outside")
        try FileContents.write("secret", to: folder + "/outside/secret.jpeg")
        var plan = LibraryPlan(assets: [], albums: [])
        let paths: [(String, String)] = [
          ("../..", "secret.jpeg"), ("0", "../../../secret.jpeg"), (folder, "secret.jpeg"), ("", "/etc/passwd"),
          ("link", "secret.jpeg"), ("0", "linked.jpeg"), ("0\u{0}1", "secret.jpeg"), ("0", "secret\u{0}.jpeg"),
          ("..", "."), ("", ""),
        ]
        for (index, path) in paths.enumerated() {
          plan.add(PlannedAsset("bad \(index).JPG", recordedPath: path))
        }
        plan.add(PlannedAsset("good.JPG"))
        let manifest = try LibraryMaker.write(plan, to: folder + "/S.photoslibrary")
        try ToolRun.check("mkdir", "-p", manifest.path + "/originals/0")
        try ToolRun.check("ln", "-s", folder + "/outside", manifest.path + "/originals/link")
        try ToolRun.check("ln", "-s", folder + "/secret.jpeg", manifest.path + "/originals/0/linked.jpeg")
        try MountFixture.with(library: manifest.path) { mount in
          for index in paths.indices {
            #expect(FileContents.openError("\(mount.path)/All Photos/bad \(index).JPG") == ENODATA, "path \(index)")
          }
          #expect(FileContents.openError(mount.path + "/All Photos/good.JPG") == 0)
        }
      }
    }

    @Test func missingOriginalsAreListedAndDoNotOpen() throws {
      try MountFixture.with(.sample) { (mount, _) throws in
        let folder = mount.path + "/Albums/Not here"
        #expect(try FolderListing.names(folder).sorted() == ["IMG_0001.JPG", "IMG_0050.JPG", "IMG_0051.JPG"])
        for (name, size) in [("IMG_0050.JPG", 123_456), ("IMG_0051.JPG", 7_890)] {
          #expect(FileContents.openError("\(folder)/\(name)") == ENODATA)
          #expect(try ToolRun.check("stat", "-c", "%s", "\(folder)/\(name)").output == "\(size)\n")
        }
      }
    }

    @Test func aMountpointThatCannotServeIsRefused() throws {
      try withPlace { folder, manifest in
        try expectRefusal(in: folder, [manifest.path, folder + "/no mountpoint"], words: ["no mountpoint"])
        try ToolRun.check("mkdir", folder + "/full")
        try FileContents.write("mine", to: folder + "/full/file")
        try expectRefusal(in: folder, [manifest.path, folder + "/full"], words: ["full"])
        try expectRefusal(in: folder, [manifest.path, folder + "/full/file"], words: ["file"])
        try MountFixture.with(library: manifest.path) { mount in
          let result = try ToolRun.run(BuiltBinary.path, manifest.path, mount.path)
          #expect(result.code == 1 && result.errorLines.count == 1, "\(result)")
          #expect(try FolderListing.names(mount.path).contains("Albums"), "the first mount still works")
        }
      }
    }

    // Case 34 (NethServer 5720): a folder is a drive only when it was made one, and never by itself.
    @Test func aBackupFolderThatCannotServeIsRefused() throws {
      try withPlace { folder, manifest in
        func arguments(_ backup: String) -> [String] {
          [manifest.path, folder + "/mount", "-o", "backup=" + backup]
        }
        try expectRefusal(in: folder, arguments(folder + "/no drive"), words: ["no drive"])
        try ToolRun.check("mkdir", folder + "/unmarked", manifest.path + "/inside")
        try expectRefusal(in: folder, arguments(folder + "/unmarked"), words: ["unmarked", "foldicfs init"])
        try expectRefusal(in: folder, arguments(manifest.path + "/inside"), words: ["inside"])
        try expectRefusal(in: folder, arguments(folder + "/mount/inside"), words: ["mount"])
        try ToolRun.check("mkdir", folder + "/mount/inside")
        try expectRefusal(in: folder, arguments(folder + "/mount/inside"), words: ["mountpoint"])
        try ToolRun.check("rmdir", folder + "/mount/inside")
        try expectRefusal(in: folder, arguments(folder + "/mount"), words: ["mount"])
        let inside = try ToolRun.run(BuiltBinary.path, "init", manifest.path + "/inside")
        #expect(inside.code == 1 && inside.errorLines.count == 1, "\(inside)")
      }
    }

    @Test(.enabled(if: Requirement.isRoot, Requirement.rootText))
    func aReadOnlyDriveIsRefused() throws {
      try withPlace { folder, manifest in
        try ToolRun.check("mount", "--bind", folder + "/drive", folder + "/drive")
        defer { _ = try? ToolRun.run("umount", folder + "/drive") }
        try ToolRun.check("mount", "-o", "remount,bind,ro", folder + "/drive")
        try expectRefusal(
          in: folder, [manifest.path, folder + "/mount", "-o", "backup=\(folder)/drive"], words: ["drive", "read-only"])
      }
    }

    @Test func wrongUseEndsWithCodeTwo() throws {
      try withPlace { folder, manifest in
        let mount = folder + "/mount"
        try expectRefusal(in: folder, [], code: 2, words: ["usage"])
        try expectRefusal(in: folder, [manifest.path], code: 2, words: [])
        try expectRefusal(in: folder, [manifest.path, mount, "third"], code: 2, words: ["third"])
        try expectRefusal(
          in: folder, [manifest.path, mount, "-o", "no_such_option"], code: 2, words: ["no_such_option"])
        try expectRefusal(in: folder, [manifest.path, mount, "-o", "uid=many"], code: 2, words: ["uid"])
        try expectRefusal(in: folder, [manifest.path, mount, "--no-such-flag"], code: 2, words: ["no-such-flag"])
      }
    }

    @Test func helpAndVersionGoToTheOutput() throws {
      let help = try ToolRun.run(BuiltBinary.path, "--help")
      #expect(help.code == 0 && help.errors.isEmpty && help.output.contains("backup="), "\(help)")
      let version = try ToolRun.run(BuiltBinary.path, "--version")
      #expect(version.code == 0 && version.errors.isEmpty && version.output.hasPrefix("foldicfs"), "\(version)")
    }

    private func with(_ change: (inout LibraryPlan) -> Void) -> LibraryPlan {
      var plan = LibraryPlan.sample
      change(&plan)
      return plan
    }
  }
}
