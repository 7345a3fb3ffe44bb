import Platform
import Testing

@testable import BackupDrive

@Suite("Parsers survive mutated input")
struct ParserMutationTests {
  private static let rounds = 200_000
  private static let seed = UInt64.random(in: 0...UInt64.max)

  /// What is accepted must be readable again after a rewrite, and say the same.
  @Test func appleDouble() throws {
    var generator = SeededGenerator(seed: Self.seed)
    var sidecar = try AppleDoubleTests.labelled()
    let compact = try sidecar.serialised(.compact)
    try sidecar.setResourceFork([1, 2, 3])
    let seeds = [compact, try sidecar.serialised(.compact), try AppleDoubleTests.labelled().serialised()]
    var accepted = 0
    for round in 0..<Self.rounds {
      let bytes = mutate(seeds[round % 16 == 0 ? 2 : round % 2], with: &generator)
      guard let parsed = try? AppleDouble.parse(bytes) else { continue }
      accepted += 1
      if parsed.holdsForeignData { continue }
      guard let again = try? AppleDouble.parse(parsed.serialised(.compact)), again == parsed else {
        Issue.record("seed \(Self.seed), round \(round): a rewrite changed the content")
        return
      }
    }
    #expect(accepted > 0, "seed \(Self.seed)")
    #expect(accepted < Self.rounds, "seed \(Self.seed)")
  }

  @Test func trashInfo() throws {
    var generator = SeededGenerator(seed: Self.seed)
    let seed = "[Trash Info]\nPath=Sub/a%20b%25%C3%BC.jpg\nDeletionDate=2026-11-30T07:14:05\nX=1\n".bytes
    var accepted = 0
    for round in 0..<Self.rounds {
      guard let parsed = try? TrashInfo(parsing: mutate(seed, with: &generator)) else { continue }
      accepted += 1
      let again = try? TrashInfo(parsing: parsed.serialised)
      guard let again, again.path == parsed.path, again.deletionDate == parsed.deletionDate else {
        Issue.record("seed \(Self.seed), round \(round): a rewrite changed the content")
        return
      }
    }
    #expect(accepted > 0, "seed \(Self.seed)")
    #expect(accepted < Self.rounds, "seed \(Self.seed)")
  }
}
