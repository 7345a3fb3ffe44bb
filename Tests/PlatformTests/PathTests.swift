import Platform
import Testing

@Suite("Paths and names as input")
struct PathTests {
  @Test("a relative path cannot climb out", arguments: ["..", "a/../b", "/etc", "a//b", "./a", ""])
  func refused(text: String) { #expect(RelativePath(text) == nil) }

  @Test("a NUL is in no path")
  func noNUL() { #expect(RelativePath("a/\0") == nil) }

  @Test("a good path comes back as it was")
  func kept() throws {
    let path = try #require(RelativePath("originals/1/x.jpeg"))
    #expect(path.description == "originals/1/x.jpeg")
    #expect(path.name == FileName("x.jpeg"))
    #expect(path.isInside(path.parent))
    #expect(!path.parent.isInside(path))
  }

  @Test("NFC and NFD are two names, bad UTF-8 is one")
  func bytes() {
    #expect(FileName("\u{E9}") != FileName("e\u{301}"))
    #expect(FileName(bytes: [0xFF, 0xFE])?.string == nil)
    #expect(FileName(bytes: [0xFF])?.description == "\u{FFFD}")
  }

  @Test("links are never followed below a folder")
  func beneath() throws {
    try withTemporaryFolder { path, folder in
      try folder.makeDirectory(FileName("in"))
      let inner = try folder.open(FileName("in"), [.read, .directory])
      _ = try inner.open(FileName("x"), [.write, .create])
      try makeLink(to: "in", at: "\(path)/link")
      try makeLink(to: "/etc/passwd", at: "\(path)/in/evil")
      _ = try folder.open(beneath: try #require(RelativePath("in/x")))
      for name in ["link/x", "link", "in/evil"] {
        #expect(throws: Errno.tooManyLinks) { _ = try folder.open(beneath: try #require(RelativePath(name))) }
      }
    }
  }

  @Test("a resolved place is inside of itself and of what holds it, not of a name that begins alike")
  func inside() {
    #expect(AbsolutePath.isInside("/a/b", "/a/b"))
    #expect(AbsolutePath.isInside("/a/b/c", "/a/b"))
    #expect(!AbsolutePath.isInside("/a/bc", "/a/b"))
    #expect(AbsolutePath.isInside("/a", "/"))
  }

  @Test("text for people holds nothing that moves the cursor or turns the direction of writing")
  func escaped() {
    #expect("a\nb\u{1B}[2J\u{202E}c".escapedForDisplay == "a\\nb\\u{1b}[2J\\u{202e}c")
    #expect("Über 😀 写".escapedForDisplay == "Über 😀 写")
  }
}
