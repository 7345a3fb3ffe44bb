import CSQLite
import Foundation
import LibraryMaker
import Testing

extension EndToEndTests {
  /// `foldicfs albums` lists what the library recorded, and reads nothing else.
  @Suite struct AlbumsCommandTests {
    @Test func titlesAndRecordedCountsAreListed() throws {
      try withTemporaryFolder { folder in
        let manifest = try LibraryMaker.write(.sample, to: folder + "/S.photoslibrary")
        let before = try TreeDigest(of: manifest.path)
        let text = try ToolRun.check(BuiltBinary.path, "albums", manifest.path)
        for title in ["Trips", "Japan 2023", "Edited & pairs", "Shared with friends", "Family"] {
          #expect(text.output.contains(title))
        }
        #expect(!text.output.contains("two\nlines"), "a title with a line break stays on its line")
        let json = try ToolRun.check(BuiltBinary.path, "albums", manifest.path, "--json")
        let parsed = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
        #expect(parsed is NSArray || parsed is NSDictionary)
        for title in ["Japan 2023", "2019\\/2020", "Shared with friends"] {
          let unescaped = title.replacingOccurrences(of: "\\/", with: "/")
          #expect(json.output.contains(title) || json.output.contains(unescaped))
        }
        #expect(try TreeDigest(of: manifest.path) == before)
      }
    }

    @Test func aFailureIsOneLine() throws {
      let result = try ToolRun.run(BuiltBinary.path, "albums", "/nonexistent.photoslibrary")
      #expect(result.code == 1 && result.errorLines.count == 1 && result.output.isEmpty, "\(result)")
    }

    /// With every page of the memberships overwritten, whoever reads one of them fails.
    @Test func noMembershipIsRead() throws {
      try withTemporaryFolder { folder in
        let manifest = try LibraryMaker.write(.sample, to: folder + "/S.photoslibrary")
        let database = manifest.path + "/database/Photos.sqlite"
        var bytes = try FileContents.read(database)
        let pages = try rootPages(of: "Z_28ASSETS", in: database)
        #expect(pages.count == 5)
        for page in pages {
          for offset in (page - 1) * 4096..<page * 4096 { bytes[offset] = 0xFF }
        }
        try FileContents.write(bytes, to: database)
        let result = try ToolRun.check(BuiltBinary.path, "albums", manifest.path)
        #expect(result.output.contains("Japan 2023"))
      }
    }

    @Test(
      .enabled(if: Requirement.hasStrace, "needs strace"),
      .enabled(if: BuiltBinary.hasFixtures, Requirement.fixturesText))
    func noOriginalIsOpened() throws {
      try withTemporaryFolder { folder in
        let library = BuiltBinary.fixtures + "/Test-Cloud-10.15.6.photoslibrary"
        let log = folder + "/trace"
        try ToolRun.check(
          "strace", "-f", "-qq", "-e", "trace=open,openat,openat2", "-o", log, BuiltBinary.path, "albums", library)
        let trace = String(decoding: try FileContents.read(log), as: UTF8.self)
        #expect(trace.contains("Photos.sqlite"), "the trace must show what is opened")
        for part in ["/originals", ".photoslibrary/resources", "/scopes", ".jpeg", ".heic", ".mov", ".mp4"] {
          #expect(!trace.contains(part), "\(part)")
        }
      }
    }

    private func rootPages(of table: String, in path: String) throws -> [Int] {
      var handle: OpaquePointer?
      defer { sqlite3_close(handle) }
      guard
        sqlite3_open_v2("file:\(path)?immutable=1", &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil) == SQLITE_OK
      else { throw ToolError(description: "cannot open \(path)") }
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      let query = "SELECT rootpage FROM sqlite_master WHERE tbl_name = '\(table)'"
      guard sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK else {
        throw ToolError(description: query)
      }
      var pages: [Int] = []
      while sqlite3_step(statement) == SQLITE_ROW { pages.append(Int(sqlite3_column_int64(statement, 0))) }
      return pages
    }
  }
}
