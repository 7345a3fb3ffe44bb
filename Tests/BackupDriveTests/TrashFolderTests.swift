import Foundation
import Platform
import Testing

@testable import BackupDrive

/// A drive's top folder with a trash, and what tests ask of it.
struct TrashDrive {
  let scratch: ScratchFolder
  static let sidecar = (try? AppleDoubleTests.labelled().serialised()) ?? []

  init() throws { scratch = try ScratchFolder() }

  func trash() throws -> TrashFolder {
    guard let folder = try TrashFolder.open(top: scratch.open(), userID: 7, create: true) else {
      throw Errno.noSuchFile
    }
    return folder
  }

  /// Everything on the drive but the folders of the trash.
  var tree: [String] {
    scratch.tree().filter { ![".Trash-7", ".Trash-7/files", ".Trash-7/info"].contains($0) }
  }

  func info(_ name: String) -> String? {
    scratch.read(".Trash-7/info/\(name).trashinfo").map { String(decoding: $0, as: UTF8.self) }
  }
}

private func path(_ text: String) throws -> RelativePath { try #require(RelativePath(text)) }

@Suite("Trash: moving in")
struct TrashFolderTests {
  @Test func aFileGoesWithItsInfoAndItsSidecar() throws {
    let drive = try TrashDrive()
    try drive.scratch.write("Sub/a b.jpg", [1])
    try drive.scratch.write("Sub/._a b.jpg", TrashDrive.sidecar)
    let trash = try drive.trash()
    let date = Timestamp(seconds: 1_700_000_000)
    #expect(try trash.trash(path("Sub/a b.jpg"), date: date) == "a b.jpg")
    #expect(
      drive.tree == [".Trash-7/files/._a b.jpg", ".Trash-7/files/a b.jpg", ".Trash-7/info/a b.jpg.trashinfo", "Sub"])
    #expect(drive.info("a b.jpg") == "[Trash Info]\nPath=Sub/a%20b.jpg\nDeletionDate=\(CivilTime(local: date))\n")
    for name in [".Trash-7", ".Trash-7/files", ".Trash-7/info"] {
      let folder = try drive.scratch.open(name)
      #expect(try folder.status().mode & 0o777 == 0o700)
    }
  }

  // trash-cli 253: only the first file can be trashed.
  @Test func filesOfOneNameAllFindAPlaceAndTheirSidecarsFollow() throws {
    let drive = try TrashDrive()
    let trash = try drive.trash()
    var names: [FileName] = []
    for folder in ["A", "B", "C"] {
      try drive.scratch.write("\(folder)/x.jpg", folder.bytes)
      try drive.scratch.write("\(folder)/._x.jpg", TrashDrive.sidecar)
      names.append(try trash.trash(path("\(folder)/x.jpg")))
    }
    #expect(names == ["x.jpg", "x.2.jpg", "x.3.jpg"])
    #expect(drive.scratch.read(".Trash-7/files/x.3.jpg") == "C".bytes)
    #expect(drive.scratch.read(".Trash-7/files/._x.3.jpg") == TrashDrive.sidecar)
    #expect(drive.info("x.2.jpg")?.contains("Path=B/x.jpg\n") == true)
  }

  @Test func aLeftOverSidecarInTheTrashIsNotBoundToANewFile() throws {
    let drive = try TrashDrive()
    try drive.scratch.write(".Trash-7/files/._x.jpg", TrashDrive.sidecar)
    try drive.scratch.write("x.jpg", [1])
    let trash = try drive.trash()
    #expect(try trash.trash(path("x.jpg")) == "x.2.jpg")
  }

  // cryptomator 1487: a name is no proof.
  @Test func aFileThatOnlyHasTheNameOfASidecarStays() throws {
    let drive = try TrashDrive()
    try drive.scratch.write("a", [1])
    try drive.scratch.write("._a", [2])
    let trash = try drive.trash()
    _ = try trash.trash(path("a"))
    #expect(drive.scratch.read("._a") == [2])
    // By itself it is a file like any other, and in the trash nobody's sidecar.
    #expect(try trash.trash(path("._a")) == "_a")
    #expect(drive.info("_a")?.contains("Path=._a\n") == true)
  }

  @Test func aFolderIsOneItem() throws {
    let drive = try TrashDrive()
    try drive.scratch.write("F/G/a", [1])
    let trash = try drive.trash()
    #expect(try trash.trash(path("F")) == "F")
    #expect(drive.scratch.read(".Trash-7/files/F/G/a") == [1])
  }

  @Test(arguments: [String(repeating: "a", count: 251) + ".jpg", String(repeating: "あ", count: 83) + ".jpg"])
  func aNameTooLongForTheInfoFileIsCut(name: String) throws {
    let drive = try TrashDrive()
    let trash = try drive.trash()
    for _ in 0..<2 {
      try drive.scratch.write(name, [1])
      let item = try trash.trash(path(name))
      #expect(item.string?.hasSuffix(".jpg") == true)
      #expect(try trash.restore(item) == path(name))
      _ = try trash.trash(path(name))
    }
    #expect(try trash.items().count == 2)
  }

  @Test func aFailureLeavesNothingBehind() throws {
    let drive = try TrashDrive()
    let trash = try drive.trash()
    for missing in ["a", "F/a"] {
      let error = #expect(throws: TrashError.self) { try trash.trash(path(missing)) }
      #expect(error?.errno == .noSuchFile)
    }
    try drive.scratch.write("a", [1])
    let folder = try drive.scratch.open(".Trash-7")
    try folder.removeDirectory("files")
    #expect(throws: TrashError.self) { try trash.trash(path("a")) }
    #expect(drive.tree == ["a"])
  }

  @Test func theTrashAndTheProgramsOwnFolderCannotBeTrashed() throws {
    let drive = try TrashDrive()
    try drive.scratch.write(".foldic/drive.json", [1])
    let trash = try drive.trash()
    for place in [".Trash-7", ".Trash-7/files", ".foldic", ".FOLDIC/drive.json"] {
      let error = #expect(throws: TrashError.self) { try trash.trash(path(place)) }
      #expect(error?.errno == .notPermitted)
    }
    #expect(throws: TrashError.self) { try trash.trash(.empty) }
  }

  @Test func aLinkIsNoTrash() throws {
    for name in [".Trash-7", ".Trash-7/files"] {
      let drive = try TrashDrive()
      try drive.scratch.write("elsewhere/x", [1])
      if name.contains("/") { try drive.scratch.write(".Trash-7/info/x", []) }
      try FileManager.default.createSymbolicLink(
        atPath: drive.scratch.path + "/" + name, withDestinationPath: drive.scratch.path + "/elsewhere")
      do {
        _ = try drive.trash()
        Issue.record("a link was taken for a trash")
      } catch let error as TrashError {
        #expect(error.reason == .unsafeFolder)
      }
    }
  }

  @Test func theSharedTrashCountsOnlyWithTheStickyBit() throws {
    for sticky in [true, false] {
      let drive = try TrashDrive()
      try drive.scratch.write("a", [1])
      try FileManager.default.createDirectory(
        atPath: drive.scratch.path + "/.Trash", withIntermediateDirectories: false)
      try FileManager.default.setAttributes(
        [.posixPermissions: sticky ? 0o1777 : 0o777], ofItemAtPath: drive.scratch.path + "/.Trash")
      let trash = try drive.trash()
      _ = try trash.trash(path("a"))
      #expect(drive.scratch.read((sticky ? ".Trash/7" : ".Trash-7") + "/files/a") == [1])
    }
  }

  @Test func noTrashIsMadeByLooking() throws {
    let drive = try TrashDrive()
    let isNone = try TrashFolder.open(top: drive.scratch.open(), userID: 7, create: false) == nil
    #expect(isNone)
    #expect(drive.scratch.tree().isEmpty)
  }

  @Test func manyThreadsWinDifferentNames() async throws {
    let drive = try TrashDrive()
    for thread in 0..<8 {
      for number in 0..<25 { try drive.scratch.write("T\(thread)/\(number)/x.jpg", [UInt8(thread), UInt8(number)]) }
    }
    let top = drive.scratch.path
    let names = try await withThrowingTaskGroup(of: [FileName].self) { group in
      for thread in 0..<8 {
        group.addTask {
          guard let trash = try TrashFolder.open(top: Descriptor.open(top, .directory), userID: 7, create: true) else {
            return []
          }
          return try (0..<25).map { try trash.trash(path("T\(thread)/\($0)/x.jpg")) }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(names).count == 200)
    let trash = try drive.trash()
    for item in try trash.items() {
      let origin = try #require(item.info?.path.components.map(\.description))
      let content = drive.scratch.read(".Trash-7/files/\(item.name)") ?? []
      #expect(origin == ["T\(content[0])", "\(content[1])", "x.jpg"])
    }
  }
}

@Suite("Trash: a sidecar that cannot be moved")
struct TrashTakesBackTests {
  private static let canFreeze = geteuid() == 0 && ExternalTool.isInstalled("chattr")

  @Test(.enabled(if: canFreeze, "needs root and chattr"))
  func theFileIsBackUnderItsName() throws {
    let drive = try TrashDrive()
    try drive.scratch.write("F/a", [1])
    try drive.scratch.write("F/._a", TrashDrive.sidecar)
    _ = try ExternalTool.run("chattr", ["+i", "F/._a"], in: drive.scratch.path)
    defer { _ = try? ExternalTool.run("chattr", ["-i", "F/._a"], in: drive.scratch.path) }
    let isFrozen = (try? Descriptor.open(drive.scratch.path + "/F/._a", .write)) == nil
    guard isFrozen else { return }  // A file system without the flag.
    let trash = try drive.trash()
    #expect(throws: TrashError.self) { try trash.trash(path("F/a")) }
    #expect(drive.tree == ["F", "F/._a", "F/a"])
  }
}
