import Foundation
import Platform
import Testing

@testable import BackupDrive

/// A real exFAT drive in a folder of its own; unmounted, detached and removed at the end.
private final class ScratchExFAT {
  let scratch: ScratchFolder
  private let image: ExFATImage
  var mountpoint: String { image.mountpoint }

  init() throws {
    scratch = try ScratchFolder()
    let mountpoint = scratch.path + "/mount"
    try FileManager.default.createDirectory(atPath: mountpoint, withIntermediateDirectories: true)
    image = try ExFATImage(in: scratch.path, mountedAt: mountpoint, megabytes: 32)
  }

  deinit { image.detach() }
}

@Suite("Trash: on a real exFAT drive")
struct TrashOnExFATTests {
  @Test(.enabled(if: ExFATImage.isPossible, "needs root, /dev/fuse, exfat-fuse and exfatprogs"))
  func filesAreTrashedRestoredAndDeleted() throws {
    let drive = try ScratchExFAT()
    let top = drive.mountpoint
    func write(_ name: String, _ bytes: [UInt8]) throws { try drive.scratch.write("mount/" + name, bytes) }
    func path(_ text: String) throws -> RelativePath { try #require(RelativePath(text)) }
    let opened = try TrashFolder.open(top: Descriptor.open(top, .directory), userID: 0, create: true)
    guard let trash = opened else {
      Issue.record("no trash")
      return
    }
    // trash-cli 253: the second file too; on this drive names that differ in case are one.
    var items: [FileName] = []
    for (folder, name) in [("A", "x.jpg"), ("B", "X.JPG"), ("C", "x.jpg")] {
      try write("\(folder)/\(name)", folder.bytes)
      try write("\(folder)/._\(name)", TrashDrive.sidecar)
      items.append(try trash.trash(path("\(folder)/\(name)")))
    }
    #expect(items == ["x.jpg", "X.2.JPG", "x.3.jpg"])
    #expect(try trash.items().count == 3)
    #expect(try trash.restore("X.2.JPG") == path("B/X.JPG"))
    #expect(drive.scratch.read("mount/B/X.JPG") == "B".bytes)
    #expect(drive.scratch.read("mount/B/._X.JPG") == TrashDrive.sidecar)
    // A case twin at the place is the same name here: nothing is overwritten.
    try write("A/X.jpg", [9])
    #expect(#expect(throws: TrashError.self) { try trash.restore("x.jpg") }?.reason == .placeTaken)
    #expect(drive.scratch.read("mount/A/X.jpg") == [9])
    // 255 units that are 765 bytes.
    let long = String(repeating: "あ", count: 251) + ".jpg"
    try write(long, [5])
    let item = try trash.trash(path(long))
    #expect(item.string?.utf16.count == 245)
    #expect(try trash.restore(item) == path(long))
    #expect(try trash.empty().isEmpty)
    #expect(drive.scratch.tree("mount/.Trash-0") == ["files", "info"])
  }
}
