import CSQLite
import LibraryMaker
import Testing

extension EndToEndTests {
  @Suite struct HarnessTests {
    @Test func aToolsOutputAndExitCodeAreReported() throws {
      let result = try ToolRun.shell("echo out; echo \"$1\" >&2; exit 7", "err")
      #expect(result.code == 7)
      #expect(result.output == "out\n")
      #expect(result.errors == "err\n")
    }

    @Test func aToolThatHangsIsKilledWithItsChildren() throws {
      #expect(throws: ToolError.self) { try ToolRun.shell("sleep 1000 & wait", seconds: 0.2) }
    }

    @Test func aDigestSeesEveryKindOfChange() throws {
      try withTemporaryFolder { folder in
        try ToolRun.check("mkdir", folder + "/a")
        try FileContents.write("text", to: folder + "/a/file")
        let before = try TreeDigest(of: folder)
        #expect(try TreeDigest(of: folder) == before)
        try ToolRun.check("touch", "-d", "2001-01-01", folder + "/a/file")
        #expect(try TreeDigest(of: folder).difference(from: before) == ["a/file"])
        try FileContents.write("test", to: folder + "/a/file")
        #expect(try TreeDigest(of: folder, times: false).entries != (try TreeDigest(of: folder)).entries)
        try FileContents.write("", to: folder + "/b")
        #expect(try TreeDigest(of: folder).difference(from: before).contains("b"))
      }
    }

    @Test(arguments: [LibraryPlan.WriteAheadLog.absent, .empty, .pending])
    func theSampleLibraryIsAValidDatabase(log: LibraryPlan.WriteAheadLog) throws {
      try withTemporaryFolder { folder in
        var plan = LibraryPlan.sample
        plan.writeAheadLog = log
        let manifest = try LibraryMaker.write(plan, to: folder + "/S.photoslibrary")
        let path = manifest.path + "/database/Photos.sqlite"
        #expect(FileContents.exists(path + "-wal") == (log != .absent))
        // What is only in the log must not be seen without it.
        let memberships = manifest.albums.reduce(0) { $0 + $1.members.count }
        let query = "SELECT COUNT(*) FROM Z_28ASSETS"
        #expect(try value(of: query, in: path, "immutable=1") == "\(log == .pending ? 0 : memberships)")
        let copy = folder + "/copy"
        try ToolRun.check("cp", "-r", manifest.path + "/database", copy)
        let database = copy + "/Photos.sqlite"
        #expect(try value(of: "PRAGMA integrity_check", in: database) == "ok")
        #expect(try value(of: query, in: database) == "\(memberships)")
        #expect(try value(of: "SELECT COUNT(*) FROM ZASSET", in: database) == "\(manifest.assets.count)")
        #expect(
          try value(of: "SELECT COUNT(*) FROM ZINTERNALRESOURCE", in: database)
            == "\(manifest.assets.reduce(0) { $0 + $1.files.count })")
      }
    }

    @Test func theSamplesFilesAreWhatTheirNamesSay() throws {
      try withTemporaryFolder { folder in
        let manifest = try LibraryMaker.write(.sample, to: folder + "/S.photoslibrary")
        let starts: [String: [UInt8]] = [
          "jpeg": [0xFF, 0xD8, 0xFF], "JPG": [0xFF, 0xD8, 0xFF], "png": [0x89, 0x50, 0x4E, 0x47],
          "dng": [0x49, 0x49, 0x2A, 0],
        ]
        var seen: Set<UInt64> = []
        for file in manifest.assets.flatMap(\.files) {
          guard let path = file.path else { continue }
          let bytes = try FileContents.read(manifest.path + "/" + path)
          #expect(bytes.count == Int(file.bytes), "\(path)")
          #expect(seen.insert(TreeDigest.hash(bytes)).inserted, "\(path) is like another file")
          let suffix = String(path.split(separator: ".").last ?? "")
          #expect(starts[suffix].map { bytes.starts(with: $0) } ?? bytes[4..<8].elementsEqual("ftyp".utf8), "\(path)")
        }
      }
    }

    @Test(.enabled(if: Requirement.hasExiftool, "needs exiftool"))
    func anIndependentReaderAcceptsTheSamplesFiles() throws {
      try withTemporaryFolder { folder in
        let manifest = try LibraryMaker.write(.sample, to: folder + "/S.photoslibrary")
        let result = try ToolRun.run(
          "exiftool", "-q", "-r", "-if", "$Warning or $Error or not $ImageWidth", "-p", "$FilePath",
          manifest.path + "/originals",
          manifest.path + "/scopes", manifest.path + "/resources")
        #expect(result.output.isEmpty, "\(result)")
      }
    }

    @Test func aGeneratedLibraryHoldsWhatWasOrdered() throws {
      try withTemporaryFolder { folder in
        let plan = LibraryPlan.generated(assets: 300, albums: 12, seed: 5, size: 100_000, isSparse: true)
        let manifest = try LibraryMaker.write(plan, to: folder + "/G.photoslibrary")
        #expect(manifest.assets.count == 300)
        #expect(manifest.albums.count == 12)
        #expect(Set(manifest.albums.flatMap(\.members)).count == 300)
        #expect(manifest.assets.allSatisfy { $0.files[0].bytes == 100_000 })
        let again = try LibraryMaker.write(plan, to: folder + "/H.photoslibrary")
        #expect(again.assets.map(\.uuid) == manifest.assets.map(\.uuid))
      }
    }

    @Test(.enabled(if: Requirement.hasDrives, Requirement.driveText), arguments: LoopDrive.FileSystem.allCases)
    func aDriveKeepsItsFilesOverARemountAndLeavesNoDevice(fileSystem: LoopDrive.FileSystem) throws {
      var paths: [String] = []
      try LoopDrive.with(fileSystem, megabytes: 32) { drive in
        paths = [drive.image, drive.path]
        try FileContents.write("kept", to: drive.path + "/file")
        try drive.remount()
        #expect(try FileContents.read(drive.path + "/file") == Array("kept".utf8))
      }
      #expect(try ToolRun.run("losetup", "-j", paths[0]).output.isEmpty)
      #expect(try !MountFixture.isMounted(paths[1]))
      #expect(!FileContents.exists(paths[0]))
    }

    private func value(of query: String, in path: String, _ parameters: String = "") throws -> String {
      var handle: OpaquePointer?
      defer { sqlite3_close(handle) }
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI
      guard sqlite3_open_v2("file:\(path)?\(parameters)", &handle, flags, nil) == SQLITE_OK else {
        throw ToolError(description: "cannot open \(path)")
      }
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      guard sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW,
        let text = sqlite3_column_text(statement, 0)
      else { throw ToolError(description: "\(query): \(String(cString: sqlite3_errmsg(handle)))") }
      return String(cString: text)
    }
  }
}
