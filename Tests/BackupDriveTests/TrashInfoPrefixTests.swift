import Platform
import Testing

@testable import BackupDrive

@Suite("Info files seen from the top of a mount")
struct TrashInfoPrefixTests {
  private static let folder = FileName("Backup")

  private func shown(_ text: String) -> String {
    String(decoding: TrashInfo.shown(Array(text.utf8), below: Self.folder), as: UTF8.self)
  }

  private func stored(_ text: String) throws(Errno) -> String {
    String(decoding: try TrashInfo.stored(Array(text.utf8), below: Self.folder), as: UTF8.self)
  }

  @Test(arguments: [
    "[Trash Info]\nPath=a\nDeletionDate=2026-11-30T10:00:00\n",
    "[Trash Info]\nDeletionDate=x\nPath=Trips/caf%C3%A9%20%25.jpg",
    "[Trash Info]\r\n Path = a/b \r\nPath=second\n",
    "[Trash Info]\nX=1\nPath=Backup/a\n[Other]\nPath=b\n",
  ])
  func aPathGetsAndLosesTheFolder(text: String) throws {
    let seen = shown(text)
    #expect(seen.utf8.count == text.utf8.count + 7)
    #expect(try stored(seen) == text)
    let inside = try TrashInfo(parsing: Array(text.utf8)).path
    #expect(try TrashInfo(parsing: Array(seen.utf8)).path == RelativePath([Self.folder] + inside.components))
  }

  @Test(arguments: [
    "", "[Trash Info]", "[Trash Info]\nDeletionDate=x\n", "[Trash Info]\nPath=/abs\n", "[Trash Info]\nPath=../a\n",
    "[Trash Info]\nPath=\n", "[Trash Info]\nPath=%2\n", "Path=a\n", "[Trash Info]\n[Other]\nPath=a\n",
  ])
  func whatHasNoPathStaysAsItIs(text: String) throws {
    #expect(shown(text) == text)
    #expect(try stored(text) == text)
  }

  @Test(arguments: ["Albums/a", "Backup", "Backupx/a", "%42ackup/a"])
  func aPathBesideTheDriveIsRefused(path: String) {
    #expect(throws: Errno.readOnly) { try stored("[Trash Info]\nPath=\(path)\n") }
  }

  @Test func anyBytesComeBackAsTheyWere() throws {
    var generator = SystemRandomNumberGenerator()
    let pieces = ["[Trash Info]", "\n", "Path", "=", " ", "a", "/", "%41", "..", "[", "Backup/", "\r", "\u{0}"]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<9, using: &generator)
      let text = "[Trash Info]\n" + (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      let bytes = Array(text.utf8)
      let seen = TrashInfo.shown(bytes, below: Self.folder)
      #expect(try TrashInfo.stored(seen, below: Self.folder) == bytes, "\(text.debugDescription)")
    }
  }
}
