import Foundation
import LibraryMaker
import Testing

extension EndToEndTests {
  /// What is deleted in `Backup/`: by programs, by file managers, and put back again.
  @Suite(.enabled(if: Requirement.hasDrives, Requirement.driveText)) struct TrashTests {
    /// What `foldicfs trash list --json` says: original place by name in the trash.
    private func listed(_ drive: LoopDrive) throws -> [String: String] {
      struct Item: Decodable {
        let name: String
        let path: String?
      }
      struct Whole: Decodable { let items: [Item] }
      let output = try ToolRun.check(BuiltBinary.path, "trash", "list", drive.path, "--json").output
      let items = try JSONDecoder().decode(Whole.self, from: Data(output.utf8)).items
      return Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.path ?? "?") })
    }

    /// Names in a folder, without what ext4 itself has there.
    private func names(_ path: String) throws -> [String] {
      try FolderListing.names(path).filter { $0 != "lost+found" }.sorted()
    }

    private func text(_ path: String) throws -> String { String(decoding: try FileContents.read(path), as: UTF8.self) }

    private func with(
      _ fileSystem: LoopDrive.FileSystem, options: [String] = [], _ body: (MountFixture, LoopDrive) throws -> Void
    ) throws {
      try LoopDrive.with(fileSystem) { drive in
        try MountFixture.with(backup: drive.path, options: options) { (mount, _) throws in try body(mount, drive) }
      }
    }

    // Promise 5. trash-cli 253: files of one name, from many folders.
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func whatIsRemovedLiesInTheTrashAndComesBackWhole(fileSystem: LoopDrive.FileSystem) throws {
      try with(fileSystem) { mount, drive in
        try ToolRun.check("cp", "-r", mount.path + "/Albums/Trips", mount.backup)
        try ToolRun.check("cp", "-r", mount.path + "/Albums/Trips", mount.backup + "/Again")
        let before = try TreeDigest(of: mount.backup, times: false)
        let files = try FolderListing.files(below: mount.backup)
        try ToolRun.check("rm", mount.backup + "/" + (try #require(files.first)))
        try ToolRun.check("rm", "-r", mount.backup + "/Trips", mount.backup + "/Again")
        #expect(try names(mount.backup) == [])
        let items = try listed(drive)
        #expect(items.values.sorted() == files.filter { before.size(of: $0) > 0 })
        let arguments = [BuiltBinary.path, "trash", "restore", drive.path] + items.keys
        #expect(try RunningTool(arguments).wait().code == 0)
        try mount.unmount()
        try drive.remount()
        try mount.mount()
        let after = try TreeDigest(of: mount.backup, times: false)
        #expect(after.difference(from: before).allSatisfy { before.size(of: $0) == 0 })
        #expect(try listed(drive) == [:])
      }
    }

    @Test func deletingForGoodIsAnOption() throws {
      try with(.ext4, options: ["delete=remove"]) { mount, drive in
        try FileContents.write("x", to: mount.backup + "/a")
        try ToolRun.check("rm", mount.backup + "/a")
        #expect(try listed(drive) == [:])
        #expect(try !names(drive.path).contains(".Trash-0"))
      }
    }

    @Test(.enabled(if: Requirement.hasRsync, "needs rsync"), arguments: LoopDrive.FileSystem.allCases)
    func whatRsyncDeletesIsKeptAndItsOwnFilesAreNot(fileSystem: LoopDrive.FileSystem) throws {
      try with(fileSystem) { mount, drive in
        try withTemporaryFolder { folder in
          try FileContents.write("one", to: folder + "/a.jpg")
          try FileContents.write("two", to: folder + "/b.jpg")
          try ToolRun.check("rsync", "-a", "--delete", folder + "/", mount.backup + "/")
          try ToolRun.check("rm", folder + "/b.jpg")
          try FileContents.write("one, changed", to: folder + "/a.jpg")
          // At the top of the drive: twice, since the trash must survive the pass after the one that filled it.
          for _ in 0..<2 { try ToolRun.check("rsync", "-a", "--delete", folder + "/", mount.backup + "/") }
          #expect(try names(mount.backup) == ["a.jpg"])
          #expect(try listed(drive) == ["b.jpg": "b.jpg"])
          #expect(try text(drive.path + "/.Trash-0/files/b.jpg") == "two")
        }
      }
    }

    // Cases 18 and 19 (rmfuse 37, nemo 1647, trash-cli 253).
    @Test(.enabled(if: Requirement.hasTool("gio"), "needs gio"), arguments: LoopDrive.FileSystem.allCases)
    func aFileManagerTrashesAndRestores(fileSystem: LoopDrive.FileSystem) throws {
      try with(fileSystem) { mount, drive in
        try ToolRun.check("mkdir", mount.backup + "/Übung 1", mount.backup + "/Two")
        for folder in ["Übung 1", "Two"] { try FileContents.write(folder, to: "\(mount.backup)/\(folder)/a b.jpg") }
        try ToolRun.check("mkdir", mount.backup + "/Album")
        try FileContents.write("c", to: mount.backup + "/Album/c")
        for path in ["Übung 1/a b.jpg", "Two/a b.jpg", "Album"] {
          let result = try ToolRun.run("gio", "trash", "\(mount.backup)/\(path)", environment: ["GIO_USE_VFS": "local"])
          #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
          #expect(!FileContents.exists("\(mount.backup)/\(path)"))
        }
        let items = try listed(drive)
        #expect(items.values.sorted() == ["Album", "Two/a b.jpg", "Übung 1/a b.jpg"])
        // Seen from the mount the paths begin at its top, and sizes are those of what is read.
        let trash = mount.path + "/.Trash-0"
        for (name, path) in items {
          let info = "\(trash)/info/\(name).trashinfo"
          let line = try #require(try text(info).split(separator: "\n").first { $0.hasPrefix("Path=") })
          #expect(line.dropFirst(5).removingPercentEncoding == "Backup/" + path)
          #expect(try ToolRun.check("stat", "-c", "%s", info).output == "\(try FileContents.read(info).count)\n")
        }
        // A file manager restores by what the info file says.
        let (name, path) = try #require(items.first { $0.value == "Two/a b.jpg" })
        try ToolRun.check("mv", "-n", "\(trash)/files/\(name)", "\(mount.path)/Backup/\(path)")
        try ToolRun.check("rm", "\(trash)/info/\(name).trashinfo")
        #expect(try text("\(mount.backup)/Two/a b.jpg") == "Two")
        // And so does the command, on the drive itself.
        try mount.unmount()
        try drive.remount()
        let arguments = [BuiltBinary.path, "trash", "restore", drive.path] + (try listed(drive).keys)
        #expect(try RunningTool(arguments).wait().code == 0)
        #expect(try text("\(drive.path)/Übung 1/a b.jpg") == "Übung 1")
        #expect(try text(drive.path + "/Album/c") == "c")
        #expect(try listed(drive) == [:])
      }
    }

    // Case 18, with the desktop's own trash service.
    @Test(.enabled(if: Requirement.hasTrashService, "needs gvfs and dbus-run-session"))
    func theDesktopListsAndRestoresWhatWasRemoved() throws {
      try with(.exfat) { mount, _ in
        try FileContents.write("1", to: mount.backup + "/by-rm.jpg")
        try FileContents.write("2", to: mount.backup + "/by-gio.jpg")
        try ToolRun.check("rm", mount.backup + "/by-rm.jpg")
        let script = """
          gio trash "$1/Backup/by-gio.jpg" || exit
          for i in $(seq 100); do
            list=$(gio list trash:///) && [[ $list == *by-rm* && $list == *by-gio* ]] && break
            sleep 0.1
          done
          for item in $list; do gio trash --restore "trash:///$item"; done
          """
        let result = try ToolRun.run("dbus-run-session", "--", "bash", "-c", script, "bash", mount.path)
        #expect(try names(mount.backup) == ["by-gio.jpg", "by-rm.jpg"], "\(result)")
      }
    }

    @Test(arguments: LoopDrive.FileSystem.allCases)
    func theTrashAtTheTopOfTheMountIsTheDrives(fileSystem: LoopDrive.FileSystem) throws {
      try with(fileSystem) { mount, drive in
        #expect(try !names(mount.path).contains(".Trash-0"))
        for name in [".Trash", ".Trash-1", "Other"] {
          let result = try ToolRun.run("mkdir", "\(mount.path)/\(name)")
          #expect(result.code == 1 && result.errors.contains("Read-only file system"), "\(result)")
        }
        try ToolRun.check("mkdir", mount.path + "/.Trash-0")
        #expect(try names(mount.path).contains(".Trash-0") && FileContents.exists(drive.path + "/.Trash-0/files"))
        #expect(try ToolRun.run("mkdir", mount.path + "/.Trash-0").errors.contains("File exists"))
        // In Backup/ it is neither seen nor made.
        #expect(try names(mount.backup) == [])
        #expect(!FileContents.exists(mount.backup + "/.Trash-0"))
        #expect(try ToolRun.run("mkdir", mount.backup + "/.Trash-7").code == 1)
        // Emptying by deleting gives room, and the folder itself may go and come.
        let free = try FileContents.freeSpace(drive.path)
        try ToolRun.check("dd", "if=/dev/zero", "of=" + mount.backup + "/big", "bs=1M", "count=20", "status=none")
        try ToolRun.check("rm", mount.backup + "/big")
        #expect(try free - FileContents.freeSpace(drive.path) >= 20 << 20)
        try ToolRun.check("rm", "-r", mount.path + "/.Trash-0")
        #expect(try free - FileContents.freeSpace(drive.path) < 1 << 20)
        #expect(try !names(mount.path).contains(".Trash-0"))
        try FileContents.write("x", to: mount.backup + "/b")
        try ToolRun.check("rm", mount.backup + "/b")
        #expect(try names(mount.path + "/.Trash-0/files") == ["b"])
      }
    }

    @Test(arguments: LoopDrive.FileSystem.allCases)
    func infoFilesMayBeRewrittenInEveryWay(fileSystem: LoopDrive.FileSystem) throws {
      try with(fileSystem) { mount, drive in
        try ToolRun.check("mkdir", mount.path + "/.Trash-0")
        let info = mount.path + "/.Trash-0/info/x.trashinfo"
        let stored = drive.path + "/.Trash-0/info/x.trashinfo"
        try FileContents.write("[Trash Info]\nPath=Backup/d/x\n", to: info)
        #expect(try text(stored) == "[Trash Info]\nPath=d/x\n")
        try ToolRun.check("bash", "-c", "echo DeletionDate=2026-11-30T10:00:00 >> \"$1\"", "bash", info)
        #expect(try text(stored) == "[Trash Info]\nPath=d/x\nDeletionDate=2026-11-30T10:00:00\n")
        try ToolRun.check("bash", "-c", "printf e 1<> \"$1\"", "bash", info)
        #expect(try text(info).hasPrefix("eTrash Info]\nPath=Backup/d/x\n"))
        try ToolRun.check("truncate", "-s", "5", info)
        #expect(try text(stored) == "eTras")
        try FileContents.write("[Trash Info]\nPath=Backup/n\u{e9}e\n", to: info + ".new")
        try ToolRun.check("mv", info + ".new", info)
        #expect(try text(stored) == "[Trash Info]\nPath=n\u{e9}e\n")
        #expect(try text(info) == "[Trash Info]\nPath=Backup/n\u{e9}e\n")
        // Something of the library cannot be in the trash of the drive.
        let refused = try withTemporaryFolder { folder in
          try FileContents.write("[Trash Info]\nPath=Albums/x\n", to: folder + "/x")
          return try ToolRun.run("cp", folder + "/x", info)
        }
        #expect(refused.code != 0 && refused.errors.contains("Read-only file system"), "\(refused)")
        #expect(try text(stored) == "[Trash Info]\nPath=n\u{e9}e\n")
      }
    }

    @Test func restoringInPartAndNothingAreTold() throws {
      try with(.ext4) { mount, drive in
        for name in ["a", "b"] { try FileContents.write(name, to: mount.backup + "/" + name) }
        try ToolRun.check("rm", mount.backup + "/a", mount.backup + "/b")
        try FileContents.write("other", to: mount.backup + "/b")
        let partly = try ToolRun.run(BuiltBinary.path, "trash", "restore", drive.path, "a", "b", "c")
        #expect(partly.code == 3 && partly.errorLines.count == 2, "\(partly)")
        #expect(try [text(mount.backup + "/a"), text(mount.backup + "/b")] == ["a", "other"])
        #expect(try ToolRun.run(BuiltBinary.path, "trash", "restore", drive.path, "c").code == 1)
        #expect(try ToolRun.run(BuiltBinary.path, "trash", "restore", drive.path).code == 2)
        #expect(try ToolRun.run(BuiltBinary.path, "trash", "list", "/").code == 1)
        #expect(try ToolRun.run(BuiltBinary.path, "trash", "empty", drive.path, "b").code == 0)
        #expect(try listed(drive) == [:])
      }
    }
  }
}

extension TreeDigest {
  /// Bytes of a file; -1 when it is not there.
  fileprivate func size(of path: String) -> Int64 { entries[Array(path.utf8)]?.size ?? -1 }
}
