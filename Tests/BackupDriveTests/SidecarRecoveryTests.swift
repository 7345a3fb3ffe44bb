import Platform
import Testing

@testable import BackupDrive

@Suite("The next start brings a sidecar to its file")
struct SidecarRecoveryTests {
  static let record = ".foldic/intents/0123456789abcdef-8"
  static let replacement = ".foldic/intents/0123456789abcdef-9"
  static let pending = ".foldic/tmp/0123456789abcdef/3"

  /// What is on the drive when the session died; values of sidecars are those of their files.
  struct Scene: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let files: [String: String]
    let sidecars: [String: String]
    let move: (file: String, target: String?, sidecar: String?)
    /// A replacement's record beside it, from the move's file to its target.
    var replaces = false
    let expected: [String: String]
    /// By file, `nil` for none.
    let attributes: [String: String?]
  }

  static let scenes = [
    Scene(
      testDescription: "a rename that had not begun", files: ["x": "X"], sidecars: ["._x": "X"],
      move: ("x", "y", "._x"), expected: ["x": "X"], attributes: ["x": "X"]),
    Scene(
      testDescription: "only the file has moved", files: ["y": "X"], sidecars: ["._x": "X"],
      move: ("x", "y", "._x"), expected: ["y": "X"], attributes: ["y": "X"]),
    Scene(
      testDescription: "it has replaced one with a sidecar", files: ["y": "X"], sidecars: ["._x": "X", "._y": "Y"],
      move: ("x", "y", "._x"), expected: ["y": "X"], attributes: ["y": "X"]),
    Scene(
      testDescription: "all is done but the record", files: ["y": "X"], sidecars: ["._y": "X"],
      move: ("x", "y", "._x"), expected: ["y": "X"], attributes: ["y": "X"]),
    Scene(
      testDescription: "without a sidecar over one with", files: ["y": "X"], sidecars: ["._y": "Y"],
      move: ("x", "y", nil), expected: ["y": "X"], attributes: ["y": nil]),
    Scene(
      testDescription: "the file was removed", files: [:], sidecars: ["._x": "X"], move: ("x", nil, "._x"),
      expected: [:], attributes: [:]),
    Scene(
      testDescription: "the file was not yet removed", files: ["x": "X"], sidecars: ["._x": "X"],
      move: ("x", nil, "._x"), expected: ["x": "X"], attributes: ["x": "X"]),
    Scene(
      testDescription: "a pending file came in", files: ["y": "X"], sidecars: ["._y": "Y", pending: "X"],
      move: (".foldic/tmp/0123456789abcdef/2", "y", pending), expected: ["y": "X"], attributes: ["y": "X"]),
    Scene(
      testDescription: "a replacement that is undone", files: ["x": "X", replacement + ".old": "Y"],
      sidecars: ["._x": "X", "._y": "Y"], move: ("x", "y", "._x"), replaces: true, expected: ["x": "X", "y": "Y"],
      attributes: ["x": "X", "y": "Y"]),
    Scene(
      testDescription: "a replacement that is finished", files: ["y": "X", replacement + ".old": "Y"],
      sidecars: ["._x": "X", "._y": "Y"], move: ("x", "y", "._x"), replaces: true, expected: ["y": "X"],
      attributes: ["y": "X"]),
    Scene(
      testDescription: "a cut lost the new file on its way", files: [replacement + ".old": "Y"],
      sidecars: ["._x": "X", "._y": "Y"], move: ("x", "y", "._x"), replaces: true, expected: ["y": "Y"],
      attributes: ["y": "Y"]),
  ]

  @Test("From every state, also when the repair is cut before each of its steps", arguments: scenes)
  func repairs(_ scene: Scene) throws {
    var cut = 0
    var wasCut = true
    while wasCut {
      let place = try TestGround(.intents)
      try build(scene, in: place)
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
      for path in ["x", "y"] {
        #expect((try? drive.text(path)) == scene.expected[path], "cut \(cut), \(path)")
        if let value = scene.attributes[path] {
          #expect(try drive.get("user.com.example.k", path) == value, "cut \(cut), \(path)")
        }
      }
      #expect(try place.leftovers() == [])
      cut += 1
      #expect(cut < 20)
    }
  }

  private func build(_ scene: Scene, in place: TestGround) throws {
    try run("/bin/mkdir", "-p", place.path + "/.foldic/tmp/0123456789abcdef", place.path + "/.foldic/intents")
    for (path, text) in scene.files { try place.put(path, text) }
    for (path, value) in scene.sidecars { try BoundSidecarTests.put(path, value, in: place) }
    let file = try #require(RelativePath(scene.move.file))
    let move = SidecarMove(
      file: file, target: scene.move.target.flatMap { RelativePath($0) },
      sidecar: scene.move.sidecar.flatMap { RelativePath($0) })
    try place.put(Self.record, String(decoding: move.bytes, as: UTF8.self))
    guard scene.replaces, let target = move.target else { return }
    try place.put(Self.replacement, String(decoding: Intent(source: file, target: target).bytes, as: UTF8.self))
  }

  @Test("A record reads back what was written, and leads nowhere else")
  func readsRecords() throws {
    let session = name("0123456789abcdef")
    func path(_ text: String) throws -> RelativePath { try #require(RelativePath(text)) }
    let good = [
      SidecarMove(file: try path("a/x"), target: try path("b/caf\u{E9} -"), sidecar: try path("a/._x")),
      SidecarMove(file: try path("-"), target: nil, sidecar: try path("._-")),
      SidecarMove(file: try path(".foldic/tmp/0123456789abcdef/1"), target: try path("-"), sidecar: nil),
    ]
    for move in good {
      #expect(SidecarMove(bytes: move.bytes, session: session) == move)
      for index in move.bytes.indices {
        var torn = move.bytes
        torn[index] ^= 0x04
        #expect(SidecarMove(bytes: torn, session: session) == nil)
        #expect(SidecarMove(bytes: Array(move.bytes[..<index]), session: session) == nil)
      }
    }
    let bad = [
      SidecarMove(file: try path("x"), target: try path("y"), sidecar: try path("photo.jpg")),
      SidecarMove(file: try path("x"), target: try path(".foldic/drive.json"), sidecar: nil),
      SidecarMove(file: try path(".foldic/drive.json"), target: try path("y"), sidecar: nil),
      SidecarMove(file: try path("x"), target: try path("y"), sidecar: try path(".foldic/tmp/ffffffffffffffff/1")),
    ]
    for move in bad { #expect(SidecarMove(bytes: move.bytes, session: session) == nil, "\(move)") }
  }
}
