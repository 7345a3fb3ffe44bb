import FaultyDrive
import Platform
import Testing

@testable import BackupDrive

@Suite("A power cut never parts a file from its sidecar, nor gives it another's")
struct SidecarCutTests {
  /// What is promised: the text of each file, and its attribute, which here is the same text or absent.
  private typealias Model = [String: (text: String, attribute: String?)]

  private struct Step: Sendable {
    let run: @Sendable (BackupDrive) throws(Errno) -> Void
    let change: @Sendable (inout Model) -> Void
  }

  private static let steps: [Step] = [
    Step(run: { (drive) throws(Errno) in try drive.write("x", "1") }, change: { $0["x"] = ("1", nil) }),
    Step(run: { (drive) throws(Errno) in try drive.set("user.k", "1", "x") }, change: { $0["x"]?.attribute = "1" }),
    Step(run: { (drive) throws(Errno) in try drive.write("y", "2") }, change: { $0["y"] = ("2", nil) }),
    Step(run: { (drive) throws(Errno) in try drive.set("user.k", "2", "y") }, change: { $0["y"]?.attribute = "2" }),
    Step(
      run: { (drive) throws(Errno) in try drive.rename("x", "y") },
      change: { $0["y"] = $0.removeValue(forKey: "x") }),
    Step(
      run: { (drive) throws(Errno) in try drive.rename("y", "d/z") },
      change: { $0["d/z"] = $0.removeValue(forKey: "y") }),
    Step(run: { (drive) throws(Errno) in try drive.write("w", "3") }, change: { $0["w"] = ("3", nil) }),
    Step(
      run: { (drive) throws(Errno) in try drive.rename("w", "d/z") },
      change: { $0["d/z"] = $0.removeValue(forKey: "w") }),
    Step(run: { (drive) throws(Errno) in try drive.set("user.k", "3", "d/z") }, change: { $0["d/z"]?.attribute = "3" }),
    Step(
      run: { (drive) throws(Errno) in
        let (node, handle) = try drive.create(name("p"), in: drive.root, exclusive: true)
        defer { handle.release() }
        try handle.write("4")
        try drive.setAttribute("user.k".bytes, of: node, to: "4".bytes)
        try drive.rename("p", "d/z")
        try handle.flush()
      }, change: { $0["d/z"] = ("4", "4") }),
    Step(
      run: { (drive) throws(Errno) in try drive.rename("d/z", "a?") },
      change: { $0["a?"] = $0.removeValue(forKey: "d/z") }),
    Step(run: { (drive) throws(Errno) in try drive.remove("a?") }, change: { $0["a?"] = nil }),
    Step(run: { (drive) throws(Errno) in try drive.write("a?", "5") }, change: { $0["a?"] = ("5", nil) }),
  ]

  @Test(
    "Cut before every operation on the drive", .enabled(if: ExFATImage.isPossible, "needs root and /dev/fuse"),
    arguments: [nil, 1, 2, 3] as [UInt64?])
  func survivesCuts(seed: UInt64?) throws {
    var cut = 1
    while try !sweep(cut: cut, seed: seed) { cut += 1 }
    #expect(cut > 50)
  }

  /// Returns whether the script was over before the cut.
  private func sweep(cut: Int, seed: UInt64?) throws -> Bool {
    let volume = FaultyVolume(keepsAttributes: false)
    guard let (before, after) = try withMount(of: volume, { try run(in: $0, volume, cut) }) else { return true }
    let found = try withMount(of: volume.afterCut(seed: seed), read)
    let comment: Comment = "cut \(cut), seed \(seed ?? 0): found \(found), expected \(before) or \(after)"
    #expect(Self.agrees(found, before, after, isRandom: seed != nil), comment)
    return false
  }

  /// The drive must have let go of its folders before the mount can end.
  private func withMount<R>(of volume: FaultyVolume, _ body: (String) throws -> R) throws -> R {
    let mount = try MountedVolume(volume)
    defer { mount.unmount() }
    return try body(mount.path)
  }

  /// Runs the script until the cut; returns what it was in between, `nil` when it was over before.
  private func run(in path: String, _ volume: FaultyVolume, _ cut: Int) throws -> (Model, Model)? {
    try BackupDrive.initialise(folder: path)
    let drive = try BackupDrive.open(folder: path, readOnly: false)
    #expect(!drive.abilities.holdsAttributes && !drive.hasJournal)
    try drive.makeDirectory("d")
    volume.plan(.cut(at: cut))
    var before = Model()
    for step in Self.steps {
      var after = before
      step.change(&after)
      do throws(Errno) { try step.run(drive) } catch { return (before, after) }
      before = after
    }
    return nil
  }

  private func read(_ path: String) throws -> Model {
    let drive = try BackupDrive.open(folder: path, readOnly: false)
    var found = Model()
    for folder in ["", "d/"] {
      // A sidecar whose file did not come to the drive belongs to nobody.
      for entry in try drive.names(folder) where entry != "d" && !entry.hasPrefix("._") {
        let path = folder + entry
        found[path] = (try drive.text(path), try drive.get("user.k", path))
      }
    }
    drive.close()
    return found
  }

  /// No file has another's attribute, and none is of neither state. When entries do not reach the medium at random, which
  /// may lose both names of a plain move, everything that both states have is there.
  private static func agrees(_ found: Model, _ before: Model, _ after: Model, isRandom: Bool) -> Bool {
    let texts = Set(before.values.map(\.text) + after.values.map(\.text))
    guard found.values.allSatisfy({ ($0.attribute ?? $0.text) == $0.text && texts.contains($0.text) }) else {
      return false
    }
    if isRandom { return true }
    return before.allSatisfy { path, old in
      if let new = after[path], new.text == old.text, let own = found[path] {
        return own.attribute == old.attribute || own.attribute == new.attribute
      }
      return found.values.contains { $0.text == old.text } || !after.values.contains { $0.text == old.text }
    }
  }
}
