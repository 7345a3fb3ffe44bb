import Platform
import Testing

@testable import BackupDrive

/// A folder of a drive as the scheme sees it: stored names and the records beside them.
private struct ModelFolder {
  var records: [FileName: [UInt8]?] = [:]

  mutating func create(_ name: FileName) throws -> Bool {
    guard lookup(name) == nil else { return false }
    let candidates = try #require(DriveName.candidates(for: name))
    guard let free = candidates.first(where: { records[$0.stored] == nil }) else { return false }
    records[free.stored] = .some(free.needsRecord ? free.real.bytes : nil)
    return true
  }

  func lookup(_ name: FileName) -> FileName? {
    DriveName.candidates(for: name)?.first { candidate in
      guard let record = records[candidate.stored] else { return false }
      return DriveName(stored: candidate.stored, record: record).real == candidate.real
    }?.stored
  }

  var listing: Set<FileName> { Set(records.map { DriveName(stored: $0.key, record: $0.value).real }) }
}

@Suite("DriveName: names are read back as written")
struct DriveNameTests {
  @Test(arguments: ["IMG_0001.HEIC", "Grüße.jpg", "東京？夜：１.jpg", "a．", "．_x", "a…", "😀.mov", "ＣON"])
  func aPortableNameIsStoredAsItIs(name: String) throws {
    let name = try #require(FileName(name))
    let candidate = try #require(DriveName.candidates(for: name)?.first)
    #expect(candidate.stored == name)
    #expect(!candidate.needsRecord)
    #expect(DriveName(stored: candidate.stored, record: nil).real == name)
  }

  // owncloud client 416: twins with a trailing dot, and the portable twin of one of them as a real name.
  @Test func twinsAreDistinctInAnyOrder() throws {
    let names: [FileName] = [
      "a", "a.", "a ", "a. .", "a…", "a．", "a␠", "a．␠．", "a:b", "a：b", "a?", "a？", "...", "．．．", " ", "Untitled", "CON",
      "ＣON", "con", "aux.jpg",
    ]
    var generator = SeededGenerator(seed: 29)
    for _ in 0..<200 {
      var folder = ModelFolder()
      for name in names.shuffled(using: &generator) {
        let created = try folder.create(name)
        let again = try folder.create(name)
        #expect(created && !again)
      }
      #expect(folder.listing == Set(names))
      for stored in folder.records.keys {
        let text = try #require(stored.string)
        #expect(PortableName.portable(text) == text)
      }
    }
  }

  @Test func aLostRecordShowsThePortableName() throws {
    #expect(DriveName(stored: "a．", record: nil).real == "a．")
    #expect(DriveName(stored: "a．", record: "a.".bytes).real == "a.")
  }

  @Test(arguments: ["", "../x", "b.", "a/.", "x", String(repeating: "a", count: 5000)])
  func aRecordThatDoesNotFitIsNotBelieved(record: String) {
    #expect(DriveName(stored: "a．", record: record.bytes).real == "a．")
    #expect(DriveName(stored: "a．", record: [0xFF, 0x2E]).real == "a．")
  }

  @Test func bothSpellingsOfANameAreOne() throws {
    let composed: FileName = "caf\u{E9}.jpg"
    let decomposed: FileName = "cafe\u{301}.jpg"
    #expect(composed != decomposed)
    #expect(DriveName.candidates(for: composed) == DriveName.candidates(for: decomposed))
  }

  @Test func longNamesAreCutAndStayDistinct() throws {
    var folder = ModelFolder()
    let stem = String(repeating: "あ", count: 250)
    for ending in ["1.jpg", "2.jpg"] {
      let name = try #require(FileName(stem + ending))
      let created = try folder.create(name)
      #expect(created)
    }
    #expect(folder.records.count == 2)
    #expect(folder.listing == [try #require(FileName(stem + "1.jpg")), try #require(FileName(stem + "2.jpg"))])
    for stored in folder.records.keys {
      #expect(stored.bytes.count <= 255)
      #expect(stored.string?.hasSuffix(".jpg") == true)
    }
  }

  @Test func bytesThatAreNoTextHaveNoName() throws {
    for bytes in [[0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xFF, 0xFE], [0x80]] as [[UInt8]] {
      #expect(DriveName.candidates(for: try #require(FileName(bytes: bytes))) == nil)
    }
  }
}
