import Platform
import Testing

@testable import BackupDrive

@Suite("Every name is read back as it was written")
struct StoredNameTests {
  // owncloud client 416, and what exFAT refuses.
  static let names = [
    "a", "a.", "a ", "a. .", "a\u{2026}", "a\u{FF0E}", "12:30?", "x\\y|z", "tab\tnew\nline", "CON.jpg",
    "\u{FF1A}\u{FF1A}", " ", "a~1A2B3C4D.jpg", "*.mov", String(repeating: "\u{3042}", count: 251) + ".jpg",
    String(repeating: "\u{3042}", count: 250) + "x.jpg", String(repeating: "y", count: 253) + ":x",
  ]

  @Test("Files and folders, in this session and the next", arguments: Ground.available)
  func readsBack(_ ground: Ground) throws {
    let place = try TestGround(ground)
    do {
      let drive = try place.open()
      try drive.makeDirectory("files")
      try drive.makeDirectory("folders")
      for (index, text) in Self.names.enumerated() {
        try drive.write("files/" + text, "\(index)")
        try drive.makeDirectory("folders/" + text)
        try drive.write("folders/" + text + "/f", "\(index)")
      }
      try check(drive)
      drive.close()
    }
    let drive = try place.open()
    try check(drive)
    for text in Self.names {
      try drive.remove("files/" + text)
      try drive.remove("folders/" + text + "/f")
      try drive.removeDirectory(name(text), in: try drive.node("folders"))
    }
    #expect(try place.names("files") == [])
    #expect(try place.names("folders") == [])
    #expect(try place.leftovers() == [])
  }

  private func check(_ drive: BackupDrive) throws {
    let expected = Set(Self.names.map { name($0) })
    #expect(Set(try drive.entries(of: try drive.node("files")).map(\.name)) == expected)
    #expect(Set(try drive.entries(of: try drive.node("folders")).map(\.name)) == expected)
    for (index, text) in Self.names.enumerated() {
      #expect(try drive.text("files/" + text) == "\(index)", "\(text)")
      #expect(try drive.text("folders/" + text + "/f") == "\(index)", "\(text)")
    }
  }

  @Test("Stored names are portable, whatever the drive could hold", arguments: Ground.available)
  func storesPortably(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("12:30?.jpg", "x")
    #expect(place.exists("12\u{FF1A}30\u{FF1F}.jpg"))
    #expect(throws: Errno.exists) { try drive.create(name("12:30?.JPG"), in: drive.root, exclusive: false) }
    #expect(throws: Errno.noSuchFile) { try drive.lookup(name("12\u{FF1A}30\u{FF1F}.jpg"), in: drive.root) }
  }

  @Test(
    "Renames between plain and encoded names, of files with attributes and of pending ones", arguments: Ground.available
  )
  func renames(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("plain", "x")
    try drive.set("user.k", "v", "plain")
    for (old, new) in [("plain", "a:"), ("a:", "b?"), ("b?", "B?"), ("B?", "B\u{FF1F}"), ("B\u{FF1F}", "plain")] {
      try drive.rename(old, new)
      #expect(try drive.entries(of: drive.root).map(\.name) == [name(new)], "\(old) \(new)")
      #expect(try drive.text(new) == "x")
      #expect(try drive.get("user.k", new) == "v", "\(old) \(new)")
    }
    let (_, handle) = try drive.create(name("p:"), in: drive.root, exclusive: true)
    try handle.write("p")
    try drive.rename("p:", "q?")
    try handle.close()
    try drive.write("t", "t")
    try drive.rename("t", "q?")
    #expect(try drive.text("q?") == "t")
    #expect(Set(try drive.names()) == ["plain", "q?"])
    try drive.rename("q?", "q")
    try drive.remove("q")
    try drive.removeAttribute("user.k".bytes, of: try drive.node("plain"))
    #expect(try place.names() == [".foldic", "plain"])
    #expect(try place.leftovers() == [])
  }
}
