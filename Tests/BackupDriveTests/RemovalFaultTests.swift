import FaultyDrive
import Foundation
import Platform
import Testing

@testable import BackupDrive

private let canMountVolumes = getuid() == 0 && FileManager.default.isWritableFile(atPath: "/dev/fuse")

/// Every operation of a removal into the trash goes wrong once, or is the last before power is cut.
@Suite("Removal into the trash: faults", .serialized, .enabled(if: canMountVolumes, "needs root and /dev/fuse"))
struct RemovalFaultTests {
  /// A volume with a drive on it, which holds `d/a` and its sidecar.
  private func prepared() throws -> FaultyVolume {
    let volume = FaultyVolume()
    let mount = try MountedVolume(volume)
    defer { mount.unmount() }
    try BackupDrive.initialise(folder: mount.path)
    let drive = try open(mount.path)
    try drive.makeDirectory("d")
    try drive.write("d/a", "photo")
    let folder = try Descriptor.open(mount.path + "/d", .directory)
    let sidecar = try folder.open(FileName("._a"), [.write, .create])
    try sidecar.write(TrashDrive.sidecar)
    try sidecar.synchronize()
    try folder.synchronize()
    drive.close()
    return volume
  }

  private func open(_ path: String) throws -> BackupDrive {
    try BackupDrive(
      folder: path, readOnly: false, hasJournal: true, deletion: .trash(userID: 7), log: { _ in })
  }

  /// The file and its sidecar are whole and together, and in one place only unless `mayBeTwice`. Returns whether that is
  /// the trash.
  private func isTrashed(_ path: String, mayBeTwice: Bool = false) throws -> Bool {
    func holds(_ name: String, _ bytes: [UInt8]) -> Bool? {
      read(path + "/" + name).map { $0 == bytes }
    }
    let photo = Array("photo".utf8)
    let atPlace = holds("d/a", photo)
    let inTrash = holds(".Trash-7/files/a", photo)
    #expect(atPlace != false && inTrash != false && (atPlace ?? inTrash) == true)
    #expect(holds("d/._a", TrashDrive.sidecar) == atPlace)
    #expect(holds(".Trash-7/files/._a", TrashDrive.sidecar) == inTrash)
    #expect(mayBeTwice || (atPlace == nil) != (inTrash == nil))
    guard inTrash != nil else { return false }
    let info = try #require(read(path + "/.Trash-7/info/a.trashinfo"))
    #expect(try TrashInfo(parsing: info).path.description == "d/a")
    return atPlace == nil
  }

  /// Not through Foundation: a descriptor that a mount's helper inherits would keep the volume busy for ever.
  private func read(_ path: String) -> [UInt8]? { try? Descriptor.open(path).read(count: 1 << 20, at: 0) }

  private func count() throws -> Int {
    let volume = try prepared()
    let mount = try MountedVolume(volume)
    defer { mount.unmount() }
    let drive = try open(mount.path)
    volume.plan(.none)
    try drive.remove("d/a")
    let count = volume.operations
    drive.close()
    #expect(try isTrashed(mount.path))
    return count
  }

  @Test(arguments: [Errno.inputOutput, .noSpace])
  func oneErrorLosesNothing(error: Errno) throws {
    let count = try count()
    #expect(count > 8)
    for number in 1...count {
      let volume = try prepared()
      let mount = try MountedVolume(volume)
      defer { mount.unmount() }
      let drive = try open(mount.path)
      volume.plan(.fail(at: number, error))
      let succeeded = (try? drive.remove("d/a")) != nil
      volume.plan(.none)
      drive.close()
      #expect(try isTrashed(mount.path) == succeeded, "\(error) at \(number)")
    }
  }

  @Test func aPowerCutLosesNothing() throws {
    for number in 1...(try count()) {
      let volume = try prepared()
      var succeeded = false
      do {
        let mount = try MountedVolume(volume)
        defer { mount.unmount() }
        let drive = try open(mount.path)
        volume.plan(.cut(at: number))
        succeeded = (try? drive.remove("d/a")) != nil
        drive.close()
      }
      let mount = try MountedVolume(volume.afterCut(seed: nil))
      defer { mount.unmount() }
      // The next start joins what was parted.
      try open(mount.path).close()
      // What is moved is durable in the trash before it is durably gone from its place.
      let isTrashed = try isTrashed(mount.path, mayBeTwice: !succeeded)
      #expect(isTrashed || !succeeded, "cut at \(number)")
    }
  }
}
