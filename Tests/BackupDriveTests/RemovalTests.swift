import Foundation
import Platform
import Testing

@testable import BackupDrive

@Suite("Removal into the drive's trash")
struct RemovalTests {
  private static let own = BackupDrive.Deletion.trash(userID: 7)

  private func trashed(_ drive: BackupDrive) throws -> [String: String] {
    guard let trash = try drive.openTrash(of: 7, create: false) else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: try trash.items().map { ($0.name.description, $0.info?.path.description ?? "?") })
  }

  // trash-cli 253: the second file too, and one whose name is taken there.
  @Test("A removed file lies in the trash under a name of its own and comes back", arguments: Ground.available)
  func removesIntoTheTrash(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open(deletion: Self.own)
    try drive.makeDirectory("d")
    for (path, text) in [("a.jpg", "1"), ("d/a.jpg", "2"), ("b.jpg", "3")] {
      try drive.write(path, text)
      try drive.remove(path)
    }
    #expect(try drive.names("d") == [])
    #expect(try trashed(drive) == ["a.jpg": "a.jpg", "a.2.jpg": "d/a.jpg", "b.jpg": "b.jpg"])
    #expect(place.onDrive(".Trash-7/files/a.2.jpg") == Array("2".utf8))
    let item = name("a.2.jpg")
    #expect(try drive.openTrash(of: 7, create: false)?.restore(item).description == "d/a.jpg")
    #expect(try drive.text("d/a.jpg") == "2")
    // Its name is free again, and the new file is another one.
    try drive.write("a.jpg", "new")
    #expect(place.onDrive(".Trash-7/files/a.jpg") == Array("1".utf8))
    #expect(try place.leftovers() == [])
  }

  @Test("A sidecar goes with its file", arguments: Ground.available)
  func takesTheSidecar(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open(deletion: Self.own)
    try drive.write("a", "1")
    try Data(TrashDrive.sidecar).write(to: URL(fileURLWithPath: place.path + "/._a"))
    try drive.remove("a")
    #expect(try place.names().filter { !$0.hasPrefix(".foldic") && !$0.hasPrefix(".Trash") } == [])
    #expect(place.onDrive(".Trash-7/files/._a") == TrashDrive.sidecar)
  }

  @Test("What nobody misses is really removed", arguments: Ground.available)
  func removesForGood(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open(deletion: Self.own)
    try drive.write("empty", "")
    try drive.remove("empty")
    try drive.write(".a.jpg.Xy12z9", "rsync")
    try drive.remove(".a.jpg.Xy12z9")
    try drive.write("notes~", "editor")
    try drive.remove("notes~")
    let (_, handle) = try drive.create(name("never"), in: drive.root, exclusive: true)
    try handle.write("x")
    try drive.remove("never")
    handle.release()
    #expect(!place.exists(".Trash-7"))
    // What is in a trash, anybody's.
    try drive.write("a", "1")
    try drive.remove("a")
    try drive.remove(".Trash-7/files/a")
    try drive.remove(".Trash-7/info/a.trashinfo")
    #expect(try place.names(".Trash-7/files") == [])
    #expect(try trashed(drive) == [:])
  }

  @Test("An empty file whose sidecar holds all of it is kept")
  func keepsResourceForks() throws {
    let place = try TestGround(.journal)
    let drive = try place.open(deletion: Self.own)
    try drive.write("font", "")
    try Data(TrashDrive.sidecar).write(to: URL(fileURLWithPath: place.path + "/._font"))
    try drive.remove("font")
    #expect(try trashed(drive) == ["font": "font"])
  }

  @Test("Open handles go on with a trashed file and cannot change it", arguments: Ground.available)
  func keepsOpenHandles(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open(deletion: Self.own)
    try drive.write("a", "text")
    let reader = try drive.read("a")
    let writer = try drive.edit("a")
    try writer.write("T")
    try drive.remove("a")
    #expect(throws: Errno.noSuchFile) { try drive.lookup(name("a"), in: drive.root) }
    #expect(try reader.text() == "text")
    #expect(try writer.text() == "Text")
    try writer.close()
    reader.release()
    #expect(place.onDrive(".Trash-7/files/a") == Array("text".utf8))
    #expect(try drive.names().filter { $0 != ".Trash-7" } == [])
    #expect(try place.leftovers() == [])
  }

  @Test("A rename over a file needs no trash; with deletion set to remove nothing does", arguments: Ground.available)
  func replacesWithoutTrash(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open(deletion: Self.own)
    try drive.write("a", "old")
    try drive.write("b", "new")
    try drive.rename("b", "a")
    #expect(!place.exists(".Trash-7"))
    drive.close()
    let other = try place.open()
    try other.remove("a")
    #expect(!place.exists(".Trash-7") && !place.exists("a"))
  }

  @Test("What cannot be trashed stays, its caller is told, and the log has one line for all")
  func staysWhenTheTrashFails() throws {
    let place = try TestGround(.journal)
    let log = LogLines()
    let drive = try place.open(deletion: Self.own, log: log)
    for number in 0..<30 { try drive.write("f\(number)", "x") }
    try place.put(".Trash-7", "no folder")
    for number in 0..<30 {
      #expect(throws: Errno.notDirectory) { try drive.remove("f\(number)") }
      #expect(try drive.text("f\(number)") == "x")
    }
    // The first at once, all others together.
    #expect(log.all.count == 1)
    drive.close()
    #expect(log.all.count == 2)
    #expect(log.all.first?.contains("1 file could not be moved to the trash and stayed") == true)
    #expect(log.all.last?.hasPrefix("29 files could not") == true)
    #expect(log.all.last?.hasSuffix("and 9 more") == true)
  }

  @Test("The line about what stays comes at most once a minute")
  func collectsFailures() throws {
    let failures = TrashFailures()
    let lines = LogLines()
    let start = ContinuousClock.now
    let error = TrashError(.system, "move to the trash", "a", .noSpace)
    for seconds in [0, 1, 59, 60, 61] { failures.note(error, now: start + .seconds(seconds)) { lines.add($0) } }
    #expect(lines.all.map { $0.prefix(2) } == ["1 ", "3 "])
    failures.flush { lines.add($0) }
    failures.flush { lines.add($0) }
    #expect(lines.all.count == 3)
  }

  @Test("The start of a session joins a file in the trash with the sidecar that a cut left behind")
  func repairsAtTheStart() throws {
    let place = try TestGround(.journal)
    let first = try place.open(deletion: Self.own)
    try first.write("a", "1")
    try first.remove("a")
    first.close()
    try Data(TrashDrive.sidecar).write(to: URL(fileURLWithPath: place.path + "/._a"))
    let log = LogLines()
    let second = try place.open(deletion: Self.own, log: log)
    #expect(place.onDrive(".Trash-7/files/._a") == TrashDrive.sidecar)
    #expect(!place.exists("._a"))
    #expect(log.all.count == 1)
    second.close()
  }

  @Test("Many threads remove files of one name from many folders", arguments: Ground.available)
  func removesAtOnce(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open(deletion: Self.own)
    for number in 0..<16 {
      try drive.makeDirectory("d\(number)")
      try drive.write("d\(number)/same.jpg", "\(number)")
    }
    let failures = LogLines()
    DispatchQueue.concurrentPerform(iterations: 16) { number in
      do { try drive.remove("d\(number)/same.jpg") } catch { failures.add("\(error)") }
    }
    #expect(failures.all == [])
    #expect(try trashed(drive).values.sorted() == (0..<16).map { "d\($0)/same.jpg" }.sorted())
  }

  // MARK: - Names

  @Test(arguments: [
    ".IMG_1.JPG.ZRpOGK", ".a.XXXXX1", "._Testfile.txt.ZRpOGK", ".notes.txt.swp", ".notes.txt.swo", ".x.swx", "a.txt~",
    ".goutputstream-A1B2C3", ".~lock.table.ods#", ".#main.swift",
  ])
  func aTemporaryNameIsKnown(text: String) {
    #expect(EphemeralName.matches(name(text)))
  }

  @Test(arguments: [
    "IMG_1.JPG.ZRpOGK", ".library.sqlite", ".settings.backup", ".ZRpOGK", "..ZRpOGK", ".a.ZRpOG", ".a.ZRpOGKK",
    ".a.ZRpO-K", "notes.swp", ".swp", ".a.swift", ".a.swz", "~", "~a", ".#", ".~lock", "#a#", "._a.jpg",
    ".goutputstream-", ".goutputstream-12345678", "caf\u{E9}.jpg", ".bashrc",
  ])
  func aNameOfAUsersIsNot(text: String) {
    #expect(!EphemeralName.matches(name(text)))
  }

  @Test func trashesAreKnownByName() {
    for text in [".Trash", ".Trash-0", ".trash-1000", ".TRASH"] { #expect(BackupDrive.isTrash(name(text))) }
    for text in [".Trash-", ".Trash-old", ".Trashes", "Trash", ".Trash-1a"] {
      #expect(!BackupDrive.isTrash(name(text)))
    }
  }
}
