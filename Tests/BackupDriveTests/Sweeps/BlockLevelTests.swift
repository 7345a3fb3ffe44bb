import DriveScript
import Foundation
import Platform
import Testing

@testable import BackupDrive

extension Sweeps {
  /// A power cut at the level of blocks, on the real driver: its writes are recorded and played back in part.
  @Suite(.enabled(if: RecordedDrive.isPossible, "needs root, loop devices, exfat-fuse and a C compiler"))
  struct BlockLevelTests {
    /// 40 creations and replacements, some in the way of rsync.
    static let workload: [DriveStep] = (0..<40).map { index in
      let number = UInt64(index)
      let path = RelativePath([FileName("IMG_\(index * 7 % 13).JPG") ?? FileName("IMG.JPG")])
      return .write(path, seed: number + 100, count: 2000 + index * 4111 % 38000)
    }

    /// What became of a state of the medium after the next start.
    struct Outcome {
      var states = 0
      var promises = 0
      var gone: [String] = []
      var torn: [String] = []
      var other: [String] = []
    }

    @Test("Every acknowledged file survives under its name, whole, in its old or its new version")
    func survives() throws {
      let outcome = try sweep(asIfJournaled: false, prefixes: 120, losses: 50)
      #expect(outcome.gone == [])
      #expect(outcome.torn == [])
      #expect(outcome.other == [])
    }

    @Test("The same with one rename loses files: the method sees what it looks for", .enabled(if: Sweeps.isFull))
    func losesWithoutIntents() throws {
      let outcome = try sweep(asIfJournaled: true, prefixes: 400, losses: 400)
      #expect(!outcome.gone.isEmpty || !outcome.torn.isEmpty)
    }

    private func sweep(asIfJournaled: Bool, prefixes: Int, losses: Int) throws -> Outcome {
      let drive = try RecordedDrive(megabytes: 8)
      let start = try prepare(drive)
      let base = try drive.contents()
      let log = try record(drive, asIfJournaled: asIfJournaled)
      let cuts = log.cuts
      var outcome = Outcome()
      let step = Sweeps.isFull && !asIfJournaled ? 1 : max(1, cuts.count / prefixes)
      for index in stride(from: Int(Sweeps.seed) % step, to: cuts.count, by: step) {
        var none: SeededGenerator?
        try drive.set(log.image(from: base, cutBefore: cuts[index], losing: &none))
        try check(drive, start, log.marks(before: cuts[index]), "before write \(index)", &outcome)
      }
      let afterPrefixes = outcome.states
      var generator = SeededGenerator(seed: Sweeps.seed)
      for number in 0..<(Sweeps.isFull && !asIfJournaled ? 1000 : losses) {
        let index = Int.random(in: cuts.indices, using: &generator)
        var dice: SeededGenerator? = SeededGenerator(seed: generator.next())
        try drive.set(log.image(from: base, cutBefore: cuts[index], losing: &dice))
        try check(drive, start, log.marks(before: cuts[index]), "loss \(number) before write \(index)", &outcome)
      }
      print(
        "block level, \(asIfJournaled ? "one rename" : "intents"): \(cuts.count) cuts, \(afterPrefixes) prefixes and"
          + " \(outcome.states - afterPrefixes) random losses, \(outcome.promises) promises: \(outcome.gone.count) gone,"
          + " \(outcome.torn.count) torn, \(outcome.other.count) other")
      return outcome
    }

    /// Marks the drive, and leaves its free space in pieces so that files have chains. Returns what it holds.
    private func prepare(_ drive: RecordedDrive) throws -> DriveModel {
      try drive.mount()
      defer { #expect(throws: Never.self) { try drive.unmount() } }
      try BackupDrive.initialise(folder: drive.path)
      var model = DriveModel()
      for index in 0..<60 {
        let name = try #require(FileName("piece\(index)"))
        let bytes = content(UInt64(index) + 1000, 4000)
        try Data(bytes).write(to: URL(fileURLWithPath: drive.path + "/\(name)"))
        model.files[RelativePath([name])] = bytes
      }
      for index in stride(from: 0, to: 60, by: 2) {
        let name = try #require(FileName("piece\(index)"))
        try FileManager.default.removeItem(atPath: drive.path + "/\(name)")
        model.files[RelativePath([name])] = nil
      }
      // One session, so that its folders are there.
      try BackupDrive.open(folder: drive.path, readOnly: false).close()
      return model
    }

    private func record(_ drive: RecordedDrive, asIfJournaled: Bool) throws -> BlockLog {
      let path = drive.newLog()
      try drive.mount(recordingTo: path)
      defer { #expect(throws: Never.self) { try drive.unmount() } }
      let open = try BackupDrive.open(folder: drive.path, hasJournal: asIfJournaled)
      defer { open.close() }
      for step in Self.workload {
        try step.run(on: open)
        try BlockLog.mark(path)
      }
      return try BlockLog(contentsOf: path)
    }

    /// Lets the next start repair, fills what is free, so that freed clusters are used again, and compares.
    private func check(
      _ drive: RecordedDrive, _ start: DriveModel, _ acknowledged: Int, _ place: String, _ outcome: inout Outcome
    ) throws {
      outcome.states += 1
      do { try drive.mount() } catch {
        outcome.other.append("\(place): cannot be mounted")
        return
      }
      defer { #expect(throws: Never.self) { try drive.unmount() } }
      let before = Self.workload.prefix(acknowledged).reduce(start) { $1.states(from: $0).last ?? $0 }
      let allowed = Self.workload.dropFirst(acknowledged).first.map { $0.statesAfterCut(from: before) } ?? [before]
      let log = LogLines()
      let found: DriveModel
      do {
        let open = try BackupDrive.open(folder: drive.path, readOnly: false, log: { log.add($0) })
        defer { open.close() }
        fill(drive.path)
        found = try DriveModel(reading: open)
      } catch {
        outcome.other.append("\(place): \(error) \(log.all)")
        return
      }
      for (path, _) in before.files {
        outcome.promises += 1
        guard let bytes = found.files[path] else {
          outcome.gone.append("\(place): \(path) \(log.all)")
          continue
        }
        if !allowed.contains(where: { $0.files[path] == bytes }) {
          outcome.torn.append("\(place): \(path) (\(bytes.count) bytes) \(log.all)")
        }
      }
      for (path, bytes) in found.files where before.files[path] == nil && path.description != "filler" {
        if !allowed.contains(where: { $0.files[path] == bytes }) {
          outcome.torn.append("\(place): new \(path) (\(bytes.count) bytes) \(log.all)")
        }
      }
    }

    private func fill(_ path: String) {
      guard let file = try? Descriptor.open(path + "/filler", [.write, .create]) else { return }
      let block = [UInt8](repeating: 0xF1, count: 1 << 16)
      var offset: Int64 = 0
      while (try? file.write(block, at: offset)) != nil { offset += Int64(block.count) }
    }
  }
}
