import Platform
import Testing

@testable import BackupDrive

@Suite("What failed says so and leaves nothing behind")
struct FailureTests {
  /// A switch for one step that fails.
  final class Fault: Sendable {
    private let step = Monitor<(CommitStep, Errno)?>(nil)
    func arm(_ step: CommitStep, _ error: Errno) { self.step.withLock { $0 = (step, error) } }
    func check(_ step: CommitStep) throws(Errno) {
      try self.step.withLock { (armed) throws(Errno) in
        guard let (wanted, error) = armed, wanted == step else { return }
        armed = nil
        throw error
      }
    }
  }

  // burp 814, bun 41798, mc 2829
  @Test("Each step of a commit that fails reaches the writer; the old version stands", arguments: Ground.available)
  func keepsOldVersion(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let fault = Fault()
    let drive = try place.open(step: { (step) throws(Errno) in try fault.check(step) })
    try drive.write("a", "old")
    let steps: [CommitStep] =
      ground == .journal
      ? [.syncData, .moveIn, .syncFolder]
      : [.syncData, .writeIntent, .moveAside, .syncAside, .moveIn, .syncFolder]
    for step in steps {
      let handle = try drive.edit("a")
      try handle.write("NEW")
      fault.arm(step, .noSpace)
      #expect(throws: Errno.noSpace) { try handle.flush() }
      // Again, for each duplicate of the descriptor; and a write cannot go on as if nothing had been.
      #expect(throws: Errno.noSpace) { try handle.flush() }
      #expect(throws: Errno.noSpace) { try handle.write("more", at: 3) }
      #expect(place.onDrive("a") == Array("old".utf8))
      #expect(try place.leftovers() == [])
      try handle.truncate(to: 0)
      try handle.write("again")
      try handle.close()
      #expect(place.onDrive("a") == Array("again".utf8))
      try drive.write("a", "old")
    }
    for step in [CommitStep.syncData, .moveIn, .syncFolder] {
      let (_, handle) = try drive.create(name("n"), in: drive.root, exclusive: true)
      try handle.write("new")
      fault.arm(step, .inputOutput)
      #expect(throws: Errno.inputOutput) { try handle.close() }
      #expect(try drive.names() == ["a"])
      #expect(try place.names() == [".foldic", "a"])
      #expect(try place.leftovers() == [])
    }
  }

  @Test("A user's rename over a file that fails leaves both", arguments: Ground.available.filter { $0 != .journal })
  func undoesRename(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let fault = Fault()
    let drive = try place.open(step: { (step) throws(Errno) in try fault.check(step) })
    try drive.write("a", "A")
    try drive.write("b", "B")
    for step in [CommitStep.writeIntent, .moveAside, .syncAside, .moveIn, .syncFolder] {
      fault.arm(step, .inputOutput)
      #expect(throws: Errno.inputOutput) { try drive.rename("a", "b") }
      #expect(try [drive.text("a"), drive.text("b")] == ["A", "B"])
      #expect(try place.leftovers() == [])
    }
  }

  @Test("A full drive: ENOSPC, nothing under the name, the space comes back", .enabled(if: ExFATImage.isPossible))
  func reportsFullDrive() throws {
    let place = try TestGround(.exfat, megabytes: 16)
    let drive = try place.open()
    try drive.write("old", "old")
    let free = try drive.statistics().freeBlocks
    let chunk = [UInt8](repeating: 7, count: 1 << 20)
    let (_, handle) = try drive.create(name("big"), in: drive.root, exclusive: true)
    #expect(throws: Errno.noSpace) { for index in 0..<32 { try handle.write(chunk, at: Int64(index) << 20) } }
    #expect(throws: Errno.noSpace) { try handle.close() }
    #expect(try drive.names() == ["old"])
    let edit = try drive.edit("old")
    #expect(throws: Errno.noSpace) { for index in 0..<32 { try edit.write(chunk, at: Int64(index) << 20) } }
    #expect(throws: Errno.noSpace) { try edit.close() }
    #expect(try drive.text("old") == "old")
    #expect(try drive.statistics().freeBlocks == free)
    #expect(try place.leftovers() == [])
  }

  // NethServer 5720
  @Test("A folder without the mark is refused with the hint; one that is there is kept")
  func refusesUnmarked() throws {
    let place = try TestGround(.journal)
    let first = try place.open().identity
    #expect(try BackupDrive.initialise(folder: place.path) == false)
    #expect(try place.open().identity == first)
    try run("/bin/mkdir", place.path + "/plain")
    let error = #expect(throws: DriveError.self) {
      try BackupDrive.open(folder: place.path + "/plain", readOnly: false)
    }
    #expect(error?.description.contains("foldicfs init") == true)
    #expect(throws: DriveError.self) { try BackupDrive.open(folder: place.path + "/absent", readOnly: false) }
    try place.put("plain/.foldic", "foreign")
    #expect(throws: DriveError.self) { try BackupDrive.initialise(folder: place.path + "/plain") }
    #expect(place.onDrive("plain/.foldic") == Array("foreign".utf8))
    let reading = try place.open(readOnly: true)
    #expect(throws: Errno.readOnly) { try reading.makeDirectory("x") }
  }
}
