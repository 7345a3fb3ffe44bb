import Platform
import Testing

@testable import BackupDrive

@Suite("The next start finishes or undoes what a dead session left")
struct RecoveryTests {
  static let session = "0123456789abcdef"
  static let record = ".foldic/intents/0123456789abcdef-7"

  /// Which of the three files are there when the session died.
  struct Scene: Sendable, CustomTestStringConvertible {
    let source: Bool
    let target: String?
    let old: Bool
    /// What the name must hold afterwards; `nil` for nothing.
    let expected: String?
    var testDescription: String { "source \(source), target \(target ?? "none"), old \(old)" }
  }

  static let scenes = [
    Scene(source: true, target: "old", old: false, expected: "old"),  // Before the first step.
    Scene(source: true, target: nil, old: true, expected: "old"),  // The old one is aside.
    Scene(source: false, target: "new", old: true, expected: "new"),  // The new one is in.
    Scene(source: false, target: "new", old: false, expected: "new"),  // Only the record is left.
    Scene(source: false, target: nil, old: true, expected: "old"),  // A cut lost the new one on its way.
    Scene(source: true, target: nil, old: false, expected: "new"),  // A cut lost the old one on its way.
    Scene(source: true, target: "new", old: true, expected: "old"),  // A cut left the new one under both names.
    Scene(source: false, target: nil, old: false, expected: nil),  // A record that came back.
  ]

  @Test("Every state between two steps, also when the repair is cut before each of its own", arguments: scenes)
  func repairs(_ scene: Scene) throws {
    for usersFile in [false, true] {
      // Cut before the n-th change, until a repair needs fewer.
      var cut = 0
      var wasCut = true
      while wasCut {
        let place = try TestGround(.intents)
        try build(scene, usersFile: usersFile, in: place)
        let left = Monitor(cut)
        do {
          _ = try place.open(recoveryStep: { () throws(Errno) in
            try left.withLock { (count: inout Int) throws(Errno) -> Void in
              if count == 0 { throw .inputOutput }
              count -= 1
            }
          })
          wasCut = false
        } catch is DriveError {}
        let drive = try place.open()
        let found = try? drive.text("a")
        #expect(found == scene.expected)
        let kept = [".new", ".twin"]
        #expect(try place.names(".foldic/intents").filter { name in !kept.contains { name.hasSuffix($0) } } == [])
        #expect(!place.exists(".foldic/tmp/" + Self.session))
        if usersFile, scene.source, scene.expected == "old" { #expect(try drive.text("src") == "new") }
        cut += 1
        #expect(cut < 20)
      }
    }
  }

  private func build(_ scene: Scene, usersFile: Bool, in place: TestGround) throws {
    try run("/bin/mkdir", "-p", place.path + "/.foldic/tmp/" + Self.session, place.path + "/.foldic/intents")
    let source = usersFile ? "src" : ".foldic/tmp/\(Self.session)/3"
    if scene.source { try place.put(source, "new") }
    if let target = scene.target { try place.put("a", target) }
    if scene.old { try place.put(Self.record + ".old", "old") }
    let from = try #require(RelativePath(source))
    let to = try #require(RelativePath("a"))
    try place.put(Self.record, String(decoding: Intent(source: from, target: to).bytes, as: UTF8.self))
  }

  @Test("A broken record is set aside, not obeyed; one that was cut while it was written goes")
  func distrustsBroken() throws {
    let place = try TestGround(.intents)
    let scene = Self.scenes[1]
    try build(scene, usersFile: false, in: place)
    let path = try #require(RelativePath("a"))
    for (index, text) in [
      "", "foldicfs in", "foldicfs intent 1\nfrom x\nto", "\u{0}\u{0}\u{0}",
      "foldicfs intent 1\nfrom x\nto a\nsum 0\n", "something else",
      String(
        decoding: Intent(source: path, target: RelativePath(path.components + path.components)).bytes, as: UTF8.self
      ).replacing("intent 1", with: "intent 2"),
    ].enumerated() {
      try place.put(".foldic/intents/0123456789abcdef-\(index + 100)", text)
    }
    let drive = try place.open()
    #expect(try drive.text("a") == "old")
    #expect(try place.names(".foldic/intents").filter { $0.hasSuffix(".broken") }.count == 3)
    #expect(try place.names(".foldic/intents").count == 3)
  }

  @Test("A record reads back what was written, and leads nowhere else")
  func readsRecords() throws {
    let session = name(Self.session)
    let odd = try #require(RelativePath("caf\u{E9} %/a\nb \u{7F}"))
    let pending = try #require(RelativePath(".foldic/tmp/\(Self.session)/12"))
    let intent = Intent(source: pending, target: odd)
    #expect(Intent(bytes: intent.bytes, session: session) == intent)
    for index in intent.bytes.indices {
      var torn = intent.bytes
      torn[index] ^= 0x04
      #expect(Intent(bytes: torn, session: session) == nil)
      #expect(Intent(bytes: Array(intent.bytes[..<index]), session: session) == nil)
    }
    for path in [".foldic/drive.json", ".foldic/tmp/ffffffffffffffff/1", ".foldic/tmp/\(Self.session)/lock"] {
      let source = try #require(RelativePath(path))
      #expect(Intent(bytes: Intent(source: source, target: odd).bytes, session: session) == nil)
      #expect(Intent(bytes: Intent(source: odd, target: source).bytes, session: session) == nil)
    }
  }

  // libfuse 41, gcsfuse 79
  @Test("Pending files of dead sessions go, those of living ones stay", arguments: Ground.available)
  func sparesLiving(_ ground: Ground) throws {
    let place = try TestGround(ground)
    try run("/bin/mkdir", "-p", place.path + "/.foldic/tmp/" + Self.session)
    try place.put(".foldic/tmp/\(Self.session)/1", "half")
    let first = try place.open()
    #expect(try place.leftovers() == [])
    let (_, handle) = try first.create(name("a"), in: first.root, exclusive: true)
    try handle.write("x")
    let second = try place.open()
    try second.write("b", "y")
    second.close()
    #expect(try place.leftovers().count == 1)
    try handle.close()
    #expect(place.onDrive("a") == Array("x".utf8))
    first.close()
    #expect(try place.names(".foldic/tmp") == ["lock"])
    #expect(throws: Errno.noSuchDevice) { try first.makeDirectory("z") }
  }
}
