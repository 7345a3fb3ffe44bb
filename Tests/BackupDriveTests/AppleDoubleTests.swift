import Foundation
import Platform
import Testing

@testable import BackupDrive

@Suite("AppleDouble: the file format")
struct AppleDoubleTests {
  static let tags = "com.apple.metadata:_kMDItemUserTags".bytes
  /// A binary property list holding ["Red\n6"].
  static let tagList: [UInt8] =
    [0x62, 0x70, 0x6C, 0x69, 0x73, 0x74, 0x30, 0x30, 0xA1, 0x01, 0x55, 0x52, 0x65, 0x64, 0x0A, 0x36, 0x08, 0x0A]
    + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2] + [UInt8](repeating: 0, count: 15) + [0x10]

  static func labelled() throws -> AppleDouble {
    var sidecar = AppleDouble()
    var info = [UInt8](repeating: 0, count: 32)
    info[9] = 0x0C
    try sidecar.setFinderInfo(info)
    try sidecar.set(tags, to: tagList)
    try sidecar.set("user.note".bytes, to: "Grüße".bytes)
    return sidecar
  }

  /// Offsets and bytes as a Mac lays them out.
  @Test func aFreshSidecarHasTheLayoutOfMacOS() throws {
    let bytes = try Self.labelled().serialised()
    #expect(bytes.count == 4096)
    var expected = [UInt8](repeating: 0, count: 4096)
    func put(_ offset: Int, _ value: [UInt8]) { expected.replaceSubrange(offset..<offset + value.count, with: value) }
    put(0x00, [0, 5, 0x16, 7, 0, 2, 0, 0] + "Mac OS X        ".bytes)
    put(0x18, [0, 2, 0, 0, 0, 9, 0, 0, 0, 0x32, 0, 0, 0x0E, 0xB0])
    put(0x26, [0, 0, 0, 2, 0, 0, 0x0E, 0xE2, 0, 0, 1, 0x1E])
    put(0x3A, [0, 0x0C])
    put(0x54, "ATTR".bytes + [0, 0, 0, 0, 0, 0, 0x0E, 0xE2, 0, 0, 0, 0xC0, 0, 0, 0, 0x39])
    put(0x76, [0, 2, 0, 0, 0, 0xC0, 0, 0, 0, 0x32, 0, 0, 0x24] + Self.tags)
    put(0xA8, [0, 0, 0, 0xF2, 0, 0, 0, 7, 0, 0, 0x0A] + "user.note".bytes)
    put(0xC0, Self.tagList)
    put(0xF2, [0x47, 0x72, 0xC3, 0xBC, 0xC3, 0x9F, 0x65])
    put(0xEE2, [0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x1E])
    put(0xEF2, "This resource fork intentionally left blank   ".bytes)
    put(0xFE2, [0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x1E])
    put(0xFFA, [0, 0x1C, 0, 0x1E, 0xFF, 0xFF])
    #expect(bytes == expected)
    #expect(try AppleDouble.parse(bytes) == Self.labelled())
  }

  @Test(.enabled(if: AppleDoubleFixtures.arePresent, "fixtures are not beside the project"))
  func filesOfRealMacsAreReadAndReproducedByteForByte() throws {
    struct Line: Decodable {
      let file: String
      let xattrs: [String: String]
    }
    let lines = try String(contentsOfFile: AppleDoubleFixtures.folder + "/expected.jsonl", encoding: .utf8)
      .split(separator: "\n")
    #expect(!lines.isEmpty)
    for line in lines {
      let expected = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
      let name = try #require(FileName(expected.file.split(separator: "/").last.map(String.init) ?? ""))
      let content = FileManager.default.contents(atPath: AppleDoubleFixtures.folder + "/" + expected.file)
      let bytes = Array(try #require(content))
      #expect(Sidecar.isSidecar(name: name, bytes: bytes))
      let sidecar = try AppleDouble.parse(bytes)
      var found: [String: String] = [:]
      for attribute in sidecar.attributes {
        found[String(decoding: attribute.name, as: UTF8.self)] = attribute.value.hexDigits
      }
      if let info = sidecar.finderInfo { found["com.apple.FinderInfo"] = info.hexDigits }
      #expect(found == expected.xattrs, "\(expected.file)")
      #expect(sidecar.resourceFork.isEmpty)
      #expect(try sidecar.serialised(bytes.count == 4096 ? .kernel : .compact) == bytes, "\(expected.file)")
    }
  }

  @Test func bothFormsKeepEverything() throws {
    var sidecar = try Self.labelled()
    try sidecar.setResourceFork([UInt8](repeating: 7, count: 1000))
    sidecar.debugTag = 0x0060_A584
    for form in [AppleDouble.Form.kernel, .compact] {
      #expect(try AppleDouble.parse(sidecar.serialised(form)) == sidecar)
    }
    let bytes = try sidecar.serialised()
    #expect(bytes.count == 3810 + 1000)
    #expect(Array(bytes[3810...]) == sidecar.resourceFork)
  }

  @Test(arguments: [0, 3673, 3674, 3675, 7769, 7770, 7771, 100_000])
  func aLargeValueGrowsTheFileByStepsOf4096(size: Int) throws {
    var sidecar = AppleDouble()
    try sidecar.set("a".bytes, to: [UInt8](repeating: 0x41, count: size))
    let bytes = try sidecar.serialised()
    let needed = 136 + size + 286
    #expect(bytes.count == max(4096, (needed + 4095) / 4096 * 4096))
    #expect(try AppleDouble.parse(bytes) == sidecar)
  }

  @Test func entriesAreAlignedForEachLengthOfName() throws {
    for length in 1...127 {
      var sidecar = AppleDouble()
      try sidecar.set([UInt8](repeating: 0x6E, count: length), to: [1, 2, 3])
      try sidecar.set("z".bytes, to: [])
      let file = BigEndianBytes(bytes: try sidecar.serialised(.compact))
      #expect(file.uint32(at: 96).map { Int($0) } == 120 + (12 + length + 3) / 4 * 4 + 16)
      #expect(try AppleDouble.parse(file.bytes) == sidecar)
    }
  }

  @Test func changesKeepTheOrderAndTheRest() throws {
    var sidecar = try Self.labelled()
    try sidecar.set(Self.tags, to: [1])
    try sidecar.set("z".bytes, to: [2])
    let wasThere = sidecar.remove("user.note".bytes)
    let isThere = sidecar.remove("user.note".bytes)
    #expect(wasThere && !isThere)
    #expect(sidecar.attributes.map(\.name) == [Self.tags, "z".bytes])
    #expect(sidecar.value(of: Self.tags) == [1])
    #expect(sidecar.finderInfo != nil)
  }

  @Test func nothingLeftMeansNoSidecar() throws {
    var sidecar = try Self.labelled()
    #expect(!sidecar.isEmpty)
    try sidecar.setFinderInfo([UInt8](repeating: 0, count: 32))
    sidecar.remove(Self.tags)
    sidecar.remove("user.note".bytes)
    try sidecar.setResourceFork(AppleDoubleLayout.emptyFork)
    #expect(sidecar.isEmpty)
    #expect(sidecar == AppleDouble())
  }

  @Test func limitsAreKept() throws {
    var sidecar = AppleDouble()
    #expect(throws: AppleDoubleError.nameTooLong) { try sidecar.set([UInt8](repeating: 65, count: 128), to: []) }
    #expect(throws: AppleDoubleError.badName) { try sidecar.set([], to: []) }
    #expect(throws: AppleDoubleError.badName) { try sidecar.set([65, 0], to: []) }
    #expect(throws: AppleDoubleError.badFinderInfo) { try sidecar.setFinderInfo([1]) }
    for index in 0..<256 { try sidecar.set("n\(index)".bytes, to: [UInt8(index)]) }
    #expect(throws: AppleDoubleError.tooManyAttributes) { try sidecar.set("more".bytes, to: []) }
    #expect(try AppleDouble.parse(sidecar.serialised()) == sidecar)
    try sidecar.set("n0".bytes, to: [UInt8](repeating: 0, count: AppleDouble.maximumSize))
    #expect(throws: AppleDoubleError.tooLarge) { try sidecar.serialised() }
  }
}

@Suite("AppleDouble: what breaks a rule is refused")
struct AppleDoubleRulesTests {
  /// A sidecar with one 32-bit or shorter field changed.
  private func changed(_ offset: Int, _ value: [UInt8]) throws -> [UInt8] {
    var bytes = try AppleDoubleTests.labelled().serialised()
    bytes.replaceSubrange(offset..<offset + value.count, with: value)
    return bytes
  }

  @Test(
    arguments: [
      (0, [0x00, 0x05, 0x16, 0x00]),  // AppleSingle's magic.
      (4, [0x00, 0x01, 0x00, 0x00]),  // Version 1.
    ] as [(Int, [UInt8])])
  func otherFilesAreNoAppleDouble(offset: Int, value: [UInt8]) throws {
    let bytes = try changed(offset, value)
    #expect(throws: AppleDoubleError.notAppleDouble) { try AppleDouble.parse(bytes) }
  }

  @Test(
    arguments: [
      (24, [0, 0]), (24, [0, 16]),  // The number of entries.
      (30, [0, 0, 0, 0x31]),  // An entry over the table.
      (34, [0, 0, 0x0E, 0xB1]),  // Over the next entry.
      (42, [0, 0, 0x0E, 0xE3]), (42, [0xFF, 0xFF, 0xFF, 0xFF]),  // Beyond the end.
      (46, [0xFF, 0xFF, 0xFF, 0xFF]),
    ] as [(Int, [UInt8])])
  func entriesOutsideTheFileAreRefused(offset: Int, value: [UInt8]) throws {
    let bytes = try changed(offset, value)
    #expect(throws: AppleDoubleError.badEntries) { try AppleDouble.parse(bytes) }
  }

  @Test(
    arguments: [
      (92, [0, 0, 0x0E, 0xE3]),  // Total size beyond entry 9.
      (96, [0, 0, 0, 0x77]),  // Data start in the header.
      (96, [0, 0, 0, 0xBF]),  // Data start in the entries.
      (100, [0, 0, 0, 0x38]), (100, [0, 0, 0, 0x3A]),  // Not the sum of the lengths.
      (100, [0xFF, 0xFF, 0xFF, 0xFF]),
      (118, [0, 1]), (118, [0, 3]), (118, [1, 1]), (118, [0xFF, 0xFF]),  // The number of attributes.
      (120, [0, 0, 0, 0xBF]), (120, [0, 0, 0, 0xF3]), (120, [0xFF, 0xFF, 0xFF, 0xFF]),  // A value outside.
      (124, [0xFF, 0xFF, 0xFF, 0xFF]),
      (130, [0]), (130, [1]), (130, [0x23]), (130, [0x25]), (130, [0xFF]),  // A name's length.
      (131, [0]),  // A NUL in the name.
    ] as [(Int, [UInt8])])
  func attributesThatBreakARuleAreRefused(offset: Int, value: [UInt8]) throws {
    let bytes = try changed(offset, value)
    #expect(throws: AppleDoubleError.badAttributes) { try AppleDouble.parse(bytes) }
  }

  @Test func aFileCutAnywhereIsRefused() throws {
    let bytes = try AppleDoubleTests.labelled().serialised()
    for length in 0..<bytes.count {
      #expect(throws: AppleDoubleError.self) { try AppleDouble.parse(Array(bytes.prefix(length))) }
    }
  }

  @Test func theFinderInfoCountsAlsoWithoutAttributes() throws {
    var bytes: [UInt8] = [0, 5, 0x16, 7, 0, 2, 0, 0] + [UInt8](repeating: 0, count: 16)
    bytes += [0, 1, 0, 0, 0, 9, 0, 0, 0, 38, 0, 0, 0, 32] + [UInt8](repeating: 0x20, count: 32)
    let sidecar = try AppleDouble.parse(bytes)
    #expect(sidecar.finderInfo == [UInt8](repeating: 0x20, count: 32))
    #expect(!sidecar.holdsForeignData)
    #expect(try AppleDouble.parse(sidecar.serialised()) == sidecar)
  }

  @Test func aSidecarWithOtherEntriesIsReadButNeverRewritten() throws {
    // Finder info, fork, and the real name (id 3) of a netatalk of old.
    var bytes: [UInt8] = [0, 5, 0x16, 7, 0, 2, 0, 0] + [UInt8](repeating: 0, count: 16)
    bytes += [0, 3, 0, 0, 0, 9, 0, 0, 0, 62, 0, 0, 0, 32, 0, 0, 0, 2, 0, 0, 0, 94, 0, 0, 0, 2]
    bytes += [0, 0, 0, 3, 0, 0, 0, 96, 0, 0, 0, 3] + [UInt8](repeating: 9, count: 32) + [5, 6] + "a.b".bytes
    let sidecar = try AppleDouble.parse(bytes)
    #expect(sidecar.finderInfo == [UInt8](repeating: 9, count: 32))
    #expect(sidecar.resourceFork == [5, 6])
    #expect(!sidecar.isEmpty)
    #expect(throws: AppleDoubleError.foreignData) { try sidecar.serialised() }
  }
}
