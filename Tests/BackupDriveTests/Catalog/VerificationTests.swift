import Foundation
import Platform
import Testing

@testable import BackupDrive

@Suite("Verifying a drive")
struct VerificationTests {
  /// A marked folder with files in it, and a state folder.
  private final class Backup {
    let place: TestGround
    let scratch: ScratchFolder
    let log = LogLines()

    init(_ files: [String], on ground: Ground = .journal) throws {
      place = try TestGround(ground)
      scratch = try ScratchFolder()
      for file in files {
        let folder = (place.path + "/" + file as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try place.put(file, "content of \(file)")
      }
    }

    func verify(
      _ change: (inout DriveVerification.Options) -> Void = { _ in }, cancellation: Cancellation = Cancellation(),
      progress: (DriveVerification.Progress) -> Void = { _ in }
    ) throws -> VerificationReport {
      var options = DriveVerification.Options()
      options.stateFolder = scratch.path + "/state"
      options.patience = 0
      options.checkpointInterval = 0
      change(&options)
      return try DriveVerification.run(
        folder: place.path, options: options, cancellation: cancellation, log: { [log] in log.add($0) },
        progress: progress)
    }

    /// Another content of the same size, with the old time.
    func damage(_ file: String) throws {
      let open = try Descriptor.open(place.path + "/" + file, .readWrite)
      let before = try open.status()
      try open.write([try #require(open.read(count: 1, at: 3).first) ^ 1], at: 3)
      try open.setTimes(accessed: .set(before.accessed), modified: .set(before.modified))
    }
  }

  private func kinds(_ report: VerificationReport) -> [String: Finding.Kind] {
    Dictionary(uniqueKeysWithValues: report.findings.map { ($0.path.description, $0.kind) })
  }

  @Test("New files are recorded, then found intact", arguments: Ground.available)
  func newThenIntact(_ ground: Ground) throws {
    let backup = try Backup(["a", "b c/d", "b/x/y", "b/z", "empty folder/e"], on: ground)
    let first = try backup.verify()
    #expect(first.isComplete && first.isGood && first.counts.new == 5 && first.counts.intact == 0)
    let second = try backup.verify()
    #expect(second.isGood && second.counts.new == 0 && second.counts.intact == 5 && !second.isResumed)
    #expect(backup.log.all == [])
  }

  @Test("What is damaged, changed, missing or unreadable is told apart", arguments: Ground.available)
  func findings(_ ground: Ground) throws {
    let backup = try Backup(["a", "b/damaged", "b/gone", "b/touched", "changed", "c/d/gone", "z"], on: ground)
    _ = try backup.verify()
    try backup.damage("b/damaged")
    try FileManager.default.removeItem(atPath: backup.place.path + "/b/gone")
    try FileManager.default.removeItem(atPath: backup.place.path + "/c")
    try backup.place.put("changed", "of another size")
    try Descriptor.open(backup.place.path + "/b/touched", .readWrite)
      .setTimes(accessed: .now, modified: .set(Timestamp(seconds: 1_000_000_000)))
    let report = try backup.verify { $0.access = { (path) throws(Errno) in if path == at("z") { throw .inputOutput } } }
    #expect(
      kinds(report) == [
        "b/damaged": .damaged, "b/gone": .missing, "c/d/gone": .missing, "changed": .changed, "z": .unreadable,
      ])
    #expect(report.counts.intact == 2 && report.isComplete && !report.isGood)
    // Damage and loss stay what they are until somebody takes them for right; a change is recorded.
    let again = try backup.verify()
    #expect(kinds(again) == ["b/damaged": .damaged, "b/gone": .missing, "c/d/gone": .missing])
    let accepted = try backup.verify { $0.accepts = true }
    #expect(accepted.isGood && accepted.findings.count == 3)
    let last = try backup.verify()
    #expect(last.findings == [] && last.counts.intact == 5)
  }

  // Promise 4
  @Test("Of what is in a folder that cannot be read nothing is concluded")
  func unreadableFolder() throws {
    let backup = try Backup(["a", "b/c/1", "b/c/2", "b/d", "b c/3"])
    _ = try backup.verify()
    let report = try backup.verify { options in
      options.access = { (path) throws(Errno) in if path == at("b") { throw .inputOutput } }
    }
    #expect(kinds(report) == ["b": .unreadable])
    #expect(report.counts.intact == 2 && !report.isGood && report.isComplete)
    #expect(try backup.verify().counts.intact == 5)
    let nothing = try backup.verify { options in
      options.access = { (path) throws(Errno) in if path == .empty { throw .inputOutput } }
    }
    #expect(nothing.findings.map(\.kind) == [.unreadable] && nothing.counts.intact == 0)
    #expect(try backup.verify().counts.intact == 5)
  }

  @Test("Sidecars, trash and what systems leave are no photos")
  func leftOut() throws {
    let backup = try Backup([
      "a", "._b", ".Trash-1000/files/x", ".Trashes/501/x", ".DS_Store", "c/.DS_Store", "System Volume Information/x",
      "c/.Trash-0/kept", "$RECYCLE.BIN/x",
    ])
    try AppleDouble().write(to: backup.place.path + "/._a")
    #expect(symlink("a", backup.place.path + "/link") == 0)
    let report = try backup.verify()
    // "._b" has the name of a sidecar only.
    #expect(report.counts.new == 3 && report.counts.passedOver == 1)
    let drive = try backup.place.open(readOnly: true)
    #expect(try drive.openCatalog().paths() == ["._b", "a", "c/.Trash-0/kept"])
  }

  @Test("A catalog that was lost begins anew, and says so when it was damaged")
  func lost() throws {
    let backup = try Backup(["a", "b"])
    _ = try backup.verify()
    try backup.place.put(".foldic/catalog.sqlite", "no database")
    let report = try backup.verify()
    #expect(report.counts.new == 2 && report.isGood)
    #expect(backup.log.all.count == 1)
    #expect(backup.place.exists(".foldic/catalog.sqlite.broken-1"))
  }

  @Test("With a catalog that is behind, rows without files are dropped, and it is right again")
  func behind() throws {
    let backup = try Backup(["a", "b"])
    _ = try backup.verify()
    let service = try Descriptor.open(backup.place.path + "/.foldic", .directory)
    try Catalog.markBehind(in: service)
    try FileManager.default.removeItem(atPath: backup.place.path + "/b")
    let report = try backup.verify()
    #expect(report.isGood && report.counts.forgotten == 1)
    #expect(try !Catalog.isBehind(in: service))
    #expect(try backup.verify().findings == [])
  }

  @Test("Cancelled at any file it goes on behind it, and reads nothing twice")
  func resumes() throws {
    let files = (0..<12).map { "f\($0 % 4)/\($0)" }
    for stop in 1...12 {
      let backup = try Backup(files)
      try backup.place.put("f1/0 gone", "x")
      _ = try backup.verify()
      try FileManager.default.removeItem(atPath: backup.place.path + "/f1/0 gone")
      try backup.damage("f0/0")
      let cancellation = Cancellation()
      let first = try backup.verify(cancellation: cancellation) { progress in
        if progress.counts.filesRead == stop { cancellation.cancel() }
      }
      #expect(!first.isComplete, "\(stop)")
      #expect(first.counts.filesRead == stop)
      let second = try backup.verify()
      #expect(second.isComplete && second.isResumed, "\(stop)")
      // All once, and the damaged one again at the end.
      #expect(first.counts.filesRead + second.counts.filesRead == 13, "\(stop)")
      #expect(kinds(second) == ["f0/0": .damaged, "f1/0 gone": .missing], "\(stop)")
      #expect(second.counts.intact == 11)
      let third = try backup.verify()
      #expect(!third.isResumed && third.counts.filesRead == 13)
    }
  }

  @Test("A run that was cancelled is forgotten on demand, for another catalog, and when its record is damaged")
  func forgets() throws {
    let backup = try Backup(["a", "b", "c"])
    let id = try backup.place.open(readOnly: true).identity
    func stopAfterOne() throws {
      let cancellation = Cancellation()
      let report = try backup.verify(cancellation: cancellation) { progress in
        if progress.counts.filesRead == 1 { cancellation.cancel() }
      }
      #expect(!report.isComplete)
    }
    try stopAfterOne()
    #expect(try backup.verify { $0.restarts = true }.counts.filesRead == 3)
    try stopAfterOne()
    try FileManager.default.removeItem(atPath: backup.place.path + "/.foldic/catalog.sqlite")
    #expect(try backup.verify().counts.filesRead == 3)
    let record = "state/verify/\(id).json"
    try stopAfterOne()
    let whole = try #require(backup.scratch.read(record) as [UInt8]?)
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      try backup.scratch.write(record, mutate(whole, with: &generator))
      let report = try backup.verify()
      #expect(report.isComplete && report.isGood)
      try stopAfterOne()
    }
  }

  @Test("A drive is verified by one at a time")
  func oneAtATime() throws {
    let backup = try Backup(["a"])
    var refused = false
    _ = try backup.verify(progress: { _ in
      guard !refused else { return }
      do { _ = try backup.verify() } catch { refused = "\(error)".contains("another") }
    })
    #expect(refused)
  }

  @Test("A file that is written while it is read is neither damaged nor changed")
  func busy() throws {
    let backup = try Backup(["a"])
    _ = try backup.verify()
    var count = 0
    let report = try backup.verify(progress: { _ in
      count += 1
      try? backup.place.put("a", "number \(count)")
    })
    #expect(report.counts.busy == 1 && report.findings == [])
  }

  @Test("A suspicion that the catalog takes back before the second look is none")
  func secondLook() throws {
    let backup = try Backup(["a", "b", "c"])
    _ = try backup.verify()
    try backup.damage("a")
    try FileManager.default.removeItem(atPath: backup.place.path + "/b")
    let report = try backup.verify(progress: { progress in
      // What a mount that has just written both tells a second later.
      guard progress.counts.filesRead == 2, let catalog = try? backup.place.open(readOnly: true).openCatalog() else {
        return
      }
      try? catalog.removed(at("b"))
      if var entry = try? catalog.entry(at("a")) {
        entry.hash = nil
        try? catalog.record([entry])
      }
    })
    #expect(report.findings == [] && report.isGood)
    #expect(try backup.verify().counts.intact == 2)
  }
}

extension AppleDouble {
  fileprivate func write(to path: String) throws {
    try Descriptor.open(path, [.write, .create, .truncate]).write(try serialised())
  }
}
