import Platform
import Testing

@testable import BackupDrive

@Suite("ContentHash: XXH3-128")
struct ContentHashTests {
  @Test func knownValues() {
    // The published value for no input with seed 0.
    #expect(ContentHash(of: []).hex == "99aa06d3014798d86001c324468d497f")
    #expect(ContentHash(of: "abc".utf8).hex == "06b05ab6733a618578af5f94892f3950")
  }

  @Test func piecesGiveTheSameAsTheWhole() throws {
    var generator = SeededGenerator(seed: 7)
    let content = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let hasher = try ContentHasher()
    var rest = content[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 0...5000, using: &generator))
      hasher.update(Array(piece))
      rest = rest.dropFirst(piece.count)
    }
    #expect(hasher.value == ContentHash(of: content))
  }

  @Test(
    .enabled(if: ExternalTool.isInstalled("xxhsum"), "xxhsum is not installed"),
    arguments: [0, 1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 1024, 1 << 20, (1 << 20) + 1, 3_000_000])
  func xxhsumPrintsTheSame(size: Int) throws {
    let folder = try ScratchFolder()
    var generator = SeededGenerator(seed: UInt64(size))
    try folder.write("a", (0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
    let hash = try #require(try ContentHash(of: Descriptor.open(folder.path + "/a")))
    let printed = String(decoding: try ExternalTool.run("xxhsum", ["-H2", "a"], in: folder.path), as: UTF8.self)
    #expect(printed == "\(hash.hex)  a\n")
  }

  @Test func hexIsReadBack() {
    let hash = ContentHash(of: "abc".utf8)
    #expect(ContentHash(hex: hash.hex) == hash)
    #expect(ContentHash(hex: hash.hex.uppercased()) == hash)
    #expect(ContentHash(bytes: hash.bytes) == hash)
    for text in ["", "06b0", String(repeating: "g", count: 32), hash.hex + "0"] {
      #expect(ContentHash(hex: text) == nil)
    }
  }

  @Test func aCancelledHashIsNone() throws {
    let folder = try ScratchFolder()
    try folder.write("a", [UInt8](repeating: 1, count: 3 << 20))
    var chunks = 0
    let hash = try ContentHash(of: Descriptor.open(folder.path + "/a")) {
      chunks += 1
      return chunks < 3
    }
    #expect(hash == nil)
    #expect(chunks == 3)
  }
}
