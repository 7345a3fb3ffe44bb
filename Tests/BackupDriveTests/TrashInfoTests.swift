import Platform
import Testing

@testable import BackupDrive

@Suite("TrashInfo: the .trashinfo file")
struct TrashInfoTests {
  @Test func aFileIsWrittenAsTheSpecificationSays() throws {
    let path = try #require(RelativePath("Sub/a b%ü.jpg"))
    let info = try #require(TrashInfo(path: path, deletionDate: CivilTime("2026-11-30T07:14:05")))
    let text = "[Trash Info]\nPath=Sub/a%20b%25%C3%BC.jpg\nDeletionDate=2026-11-30T07:14:05\n"
    #expect(info.serialised == text.bytes)
    #expect(try TrashInfo(parsing: info.serialised) == info)
    #expect(TrashInfo(path: .empty, deletionDate: nil) == nil)
  }

  @Test func everyByteOfANameSurvives() throws {
    let bytes = (UInt8(1)...255).filter { $0 != 0x2F }
    let name = try #require(FileName(bytes: bytes))
    let info = try #require(TrashInfo(path: RelativePath([name]), deletionDate: nil))
    #expect(info.serialised.allSatisfy { $0 < 0x7F })
    #expect(try TrashInfo(parsing: info.serialised).path == info.path)
  }

  @Test func theFirstOfEachKeyCountsAndAllElseIsKept() throws {
    let text = """
      [Trash Info]
      X-Mine=1
      Path=a
      # a comment
      Path=b
      DeletionDate=2026-11-30T07:14:05
      DeletionDate=2027-11-30T07:14:05
      [Other]
      Path=c

      """
    let info = try TrashInfo(parsing: text.bytes)
    #expect(info.path == RelativePath("a"))
    #expect(info.deletionDate == CivilTime("2026-11-30T07:14:05"))
    #expect(
      info.otherLines
        == ["X-Mine=1", "# a comment", "Path=b", "DeletionDate=2027-11-30T07:14:05", "[Other]", "Path=c"])
    #expect(try TrashInfo(parsing: info.serialised) == info)
  }

  @Test func filesOfOtherProgramsAreRead() throws {
    let windows = "[Trash Info]\r\nPath = x%2fy\r\nDeletionDate = yesterday\r\n"
    let info = try TrashInfo(parsing: windows.bytes)
    #expect(info.path == RelativePath("x/y"))
    #expect(info.deletionDate == nil)
    // The first date counts, also when nobody can read it: found by fuzzing.
    let twice = try TrashInfo(parsing: "[Trash Info]\nPath=a\nDeletionDate=x\nDeletionDate=2026-11-30T07:14:05\n".bytes)
    #expect(twice.deletionDate == nil)
    #expect(try TrashInfo(parsing: twice.serialised).deletionDate == nil)
    // Not encoded, though it should be.
    #expect(try TrashInfo(parsing: "[Trash Info]\nPath=Grüße aus Köln".bytes).path == RelativePath("Grüße aus Köln"))
  }

  @Test(
    arguments: [
      ("", .noHeader), ("Path=a\n", .noHeader), ("\n[Trash Info]\nPath=a\n", .noHeader), ("[Trash Info]\n", .badPath),
      ("[Trash Info]\nPath=\n", .badPath), ("[Trash Info]\nPath=/etc/passwd\n", .badPath),
      ("[Trash Info]\nPath=../a\n", .badPath), ("[Trash Info]\nPath=a/%2E%2E/b\n", .badPath),
      ("[Trash Info]\nPath=a%00b\n", .badPath), ("[Trash Info]\nPath=a%2\n", .badPath),
      ("[Trash Info]\nPath=a%zz\n", .badPath), ("[Trash Info]\n[Other]\nPath=a\n", .badPath),
      ("[Trash Info]\nPath=a//b\n", .badPath), ("[Trash Info]\nPath=a/\n", .badPath),
    ] as [(String, TrashInfo.ParseError)])
  func whatLeadsNowhereOrOutsideIsRefused(text: String, error: TrashInfo.ParseError) {
    #expect(throws: error) { try TrashInfo(parsing: text.bytes) }
  }

  @Test func hugeOrBinaryFilesAreRefused() {
    let huge = "[Trash Info]\nPath=".bytes + [UInt8](repeating: 65, count: TrashInfo.maximumSize)
    #expect(throws: TrashInfo.ParseError.unreadable) { try TrashInfo(parsing: huge) }
    #expect(throws: TrashInfo.ParseError.unreadable) { try TrashInfo(parsing: "[Trash Info]\nPath=".bytes + [0xFF]) }
  }
}

@Suite("Trash: names of items")
struct TrashNameTests {
  @Test func aTakenNameGetsANumberBeforeItsExtension() {
    #expect(TrashName.candidate(for: "a.jpg", attempt: 1) == "a.jpg")
    #expect(TrashName.candidate(for: "a.jpg", attempt: 2) == "a.2.jpg")
    #expect(TrashName.candidate(for: "a", attempt: 3) == "a.3")
    #expect(TrashName.candidate(for: ".bashrc", attempt: 2) == ".bashrc.2")
    #expect(TrashName.candidate(for: "._odd", attempt: 1) == "_odd")
  }

  @Test(arguments: [TrashName.Measure.units, .bytes])
  func longNamesAreCutAtACharacter(measure: TrashName.Measure) throws {
    for stem in [
      String(repeating: "あ", count: 251), String(repeating: "😀", count: 125), String(repeating: "a", count: 251),
    ] {
      let name = try #require(FileName(stem + ".jpg"))
      for attempt in [1, 2, 1000] {
        let candidate = TrashName.candidate(for: name, attempt: attempt, measure: measure)
        let text = try #require(candidate.string)
        #expect((measure == .units ? text.utf16.count : text.utf8.count) <= 245)
        #expect((measure == .units ? text.utf16.count : text.utf8.count) > 230)
        #expect(text.hasSuffix(attempt == 1 ? ".jpg" : ".\(attempt).jpg"))
      }
    }
  }

  @Test func bytesThatAreNoTextStayDistinct() throws {
    let name = try #require(FileName(bytes: [UInt8](repeating: 0xFF, count: 255)))
    let first = TrashName.candidate(for: name, attempt: 1)
    let second = TrashName.candidate(for: name, attempt: 2)
    #expect(first != second)
    #expect(first.bytes.count <= 245 && second.bytes.count <= 245)
  }
}
