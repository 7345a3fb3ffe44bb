import Platform
import Testing

@testable import BackupDrive

@Suite("A release comes at its own time")
struct LateReleaseTests {
  @Test("A writer who opens the file meanwhile goes on from what it holds", arguments: [Ground.journal, .intents])
  func takesNothingFromTheNextWriter(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    defer { drive.close() }
    try drive.write("a", "0")
    let node = try drive.lookup(name("a"), in: drive.root)
    for size in Int64(1)...400 {
      let before = try drive.open(node, reading: true, writing: false, truncate: false, append: false)
      let thread = try WorkerThread { before.release() }
      let writer = try drive.open(node, reading: true, writing: true, truncate: false, append: false)
      try writer.write([0x30], at: size)
      try writer.flush()
      writer.release()
      thread.join()
      try #require(try drive.status(of: node).size == size + 1)
    }
    #expect(place.onDrive("a") == [UInt8](repeating: 0x30, count: 401))
  }
}
