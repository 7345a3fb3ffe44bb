import Foundation
import Platform
import Testing

@testable import BackupDrive

private func path(_ text: String) throws -> RelativePath { try #require(RelativePath(text)) }

@Suite("Trash: restoring, repairing, emptying")
struct TrashRestoreTests {
  @Test func anItemComesBackWithItsSidecarAndItsFolders() throws {
    let drive = try TrashDrive()
    try drive.scratch.write("F/G/a", [1])
    try drive.scratch.write("F/G/._a", TrashDrive.sidecar)
    let trash = try drive.trash()
    let item = try trash.trash(path("F/G/a"))
    try FileManager.default.removeItem(atPath: drive.scratch.path + "/F")
    #expect(try trash.restore(item) == path("F/G/a"))
    #expect(drive.tree == ["F", "F/G", "F/G/._a", "F/G/a"])
    #expect(try trash.items() == [])
  }

  @Test func nothingIsEverOverwritten() throws {
    let drive = try TrashDrive()
    try drive.scratch.write("a", [1])
    let trash = try drive.trash()
    let item = try trash.trash(path("a"))
    try drive.scratch.write("a", [2])
    let error = #expect(throws: TrashError.self) { try trash.restore(item) }
    #expect(error?.reason == .placeTaken)
    #expect(drive.scratch.read("a") == [2])
    #expect(try trash.items().map(\.name) == ["a"])
  }

  @Test func anOrphanAtThePlaceIsNotBoundToWhatReturns() throws {
    let drive = try TrashDrive()
    try drive.scratch.write("a", [1])
    let trash = try drive.trash()
    let item = try trash.trash(path("a"))
    try drive.scratch.write("._a", TrashDrive.sidecar)
    _ = try trash.restore(item)
    #expect(drive.tree == [".Trash-7/files/_a", ".Trash-7/info/_a.trashinfo", "a"])
  }

  @Test func aForeignFileInThePlaceOfTheSidecarStopsTheRestore() throws {
    let drive = try TrashDrive()
    try drive.scratch.write("a", [1])
    try drive.scratch.write("._a", TrashDrive.sidecar)
    let trash = try drive.trash()
    let item = try trash.trash(path("a"))
    try drive.scratch.write("._a", [9])
    let error = #expect(throws: TrashError.self) { try trash.restore(item) }
    #expect(error?.reason == .placeTaken)
    #expect(drive.scratch.read("._a") == [9])
    #expect(drive.scratch.read(".Trash-7/files/a") == [1])
  }

  @Test(arguments: ["/etc/x", "../x", ".foldic/drive.json", ".Trash-7/info/y", "a%00", ""])
  func anInfoThatLeadsElsewhereIsNotObeyed(place: String) throws {
    let drive = try TrashDrive()
    try drive.scratch.write(".Trash-7/files/a", [1])
    try drive.scratch.write(".Trash-7/info/a.trashinfo", "[Trash Info]\nPath=\(place)\n".bytes)
    let trash = try drive.trash()
    let error = #expect(throws: TrashError.self) { try trash.restore("a") }
    #expect(error?.reason == .badInfo)
    #expect(drive.scratch.read(".Trash-7/files/a") == [1])
  }

  @Test func aLinkOnTheWayIsNotFollowed() throws {
    let drive = try TrashDrive()
    let outside = try ScratchFolder()
    try drive.scratch.write("F/a", [1])
    let trash = try drive.trash()
    let item = try trash.trash(path("F/a"))
    try FileManager.default.removeItem(atPath: drive.scratch.path + "/F")
    try FileManager.default.createSymbolicLink(atPath: drive.scratch.path + "/F", withDestinationPath: outside.path)
    #expect(throws: TrashError.self) { try trash.restore(item) }
    #expect(throws: TrashError.self) { try trash.trash(path("F/b")) }
    #expect(outside.tree().isEmpty)
  }

  @Test func aMissingItemIsSaidToBeMissing() throws {
    let drive = try TrashDrive()
    let trash = try drive.trash()
    try drive.scratch.write(".Trash-7/info/b.trashinfo", "[Trash Info]\nPath=b\n".bytes)
    for name in ["a", "b"] as [FileName] {
      #expect(#expect(throws: TrashError.self) { try trash.restore(name) }?.reason == .noSuchItem)
      #expect(#expect(throws: TrashError.self) { try trash.delete(name) }?.reason == .noSuchItem)
    }
  }

  @Test func theListShowsWhatIsThere() throws {
    let drive = try TrashDrive()
    try drive.scratch.write("F/b", [1, 2])
    try drive.scratch.write("F/._b", TrashDrive.sidecar)
    let trash = try drive.trash()
    _ = try trash.trash(path("F/b"))
    try drive.scratch.write(".Trash-7/files/a", [])  // Left by a crash.
    try drive.scratch.write(".Trash-7/files/._z", TrashDrive.sidecar)
    try drive.scratch.write(".Trash-7/info/gone.trashinfo", "[Trash Info]\nPath=gone\n".bytes)
    let items = try trash.items()
    #expect(items.map(\.name) == ["._z", "a", "b"])
    #expect(items.map { $0.info?.path } == [nil, nil, try path("F/b")])
    #expect(items.last?.status.size == 2)
  }

  @Test func aSidecarLeftBehindByACutFollowsItsFile() throws {
    let drive = try TrashDrive()
    let trash = try drive.trash()
    // Cut while trashing, after the file was moved.
    try drive.scratch.write("a", [1])
    _ = try trash.trash(path("a"))
    try drive.scratch.write("._a", TrashDrive.sidecar)
    // Cut while restoring, after the file was moved.
    try drive.scratch.write("F/b", [2])
    try drive.scratch.write(".Trash-7/files/._b.2", TrashDrive.sidecar)
    try drive.scratch.write(".Trash-7/info/b.2.trashinfo", "[Trash Info]\nPath=F/b\n".bytes)
    // Not to be touched: an item whose place is taken again, with a sidecar of the new file.
    try drive.scratch.write("c", [3])
    _ = try trash.trash(path("c"))
    try drive.scratch.write("c", [4])
    try drive.scratch.write("._c", TrashDrive.sidecar)

    #expect(try trash.repair() == 2)
    let expected = [
      "._c", ".Trash-7/files/._a", ".Trash-7/files/a", ".Trash-7/files/c", ".Trash-7/info/a.trashinfo",
      ".Trash-7/info/c.trashinfo", "F", "F/._b", "F/b", "c",
    ].sorted()
    #expect(drive.tree == expected)
    #expect(try trash.repair() == 0)
    #expect(drive.tree == expected)
  }

  @Test func emptyingTakesAllAndFollowsNoLink() throws {
    let drive = try TrashDrive()
    let outside = try ScratchFolder()
    try outside.write("keep", [1])
    for name in ["F/G/a", "F/b", "c"] { try drive.scratch.write(name, [1]) }
    try drive.scratch.write("._c", TrashDrive.sidecar)
    try FileManager.default.createSymbolicLink(
      atPath: drive.scratch.path + "/F/link", withDestinationPath: outside.path)
    let trash = try drive.trash()
    for name in ["F", "c"] { _ = try trash.trash(path(name)) }
    // Of a move that another program is just making, and of one that never came to its end.
    try drive.scratch.write(".Trash-7/info/young.trashinfo", "[Trash Info]\nPath=x\n".bytes)
    #expect(try trash.empty().isEmpty)
    #expect(drive.tree == [".Trash-7/info/young.trashinfo"])
    #expect(outside.read("keep") == [1])
    let later = Timestamp(seconds: Timestamp.now.seconds + 90_000)
    #expect(try trash.empty(now: later).isEmpty)
    #expect(drive.tree.isEmpty)
  }

  @Test func cancelStopsInsideAFolderAndTheRestIsStillAnItem() throws {
    let drive = try TrashDrive()
    for number in 0..<20 { try drive.scratch.write("F/\(number)", [1]) }
    let trash = try drive.trash()
    _ = try trash.trash(path("F"))
    var asked = 0
    let error = #expect(throws: TrashError.self) {
      try trash.empty {
        asked += 1
        return asked <= 10
      }
    }
    #expect(error?.reason == .cancelled)
    #expect(asked == 11)
    #expect(try trash.items().first?.info?.path == path("F"))
  }
}
