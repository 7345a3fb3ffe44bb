import Foundation
import Platform
import Testing

@testable import BackupDrive

@Suite("Sidecars without a file")
struct OrphanScanTests {
  private func putSidecar(_ path: String, on place: TestGround) throws {
    try Data(TrashDrive.sidecar).write(to: URL(fileURLWithPath: place.path + "/" + path))
  }

  @Test("Only sidecars by name and content without a file are found", arguments: Ground.available)
  func findsOrphans(_ ground: Ground) throws {
    let place = try TestGround(ground)
    try FileManager.default.createDirectory(atPath: place.path + "/d/e", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: place.path + "/.Trash-9/files", withIntermediateDirectories: true)
    for path in ["._gone", "d/._gone.jpg", "d/e/._x", "._.", ".Trash-9/files/._z", "._d", "d/._kept"] {
      try putSidecar(path, on: place)
    }
    try place.put("d/kept", "x")
    try place.put("._note", "no sidecar, whatever its name says")
    try putSidecar("plain", on: place)
    let drive = try place.open(deletion: .trash(userID: 7))
    let scan = try #require(OrphanScan(of: drive))
    #expect(scan.failures.isEmpty)
    #expect(scan.orphans.map(\.path.description).sorted() == ["._gone", "d/._gone.jpg", "d/e/._x"])
    #expect(scan.orphans.allSatisfy { $0.size == Int64(TrashDrive.sidecar.count) })
    // One whose file comes before its turn is none.
    try place.put("gone", "x")
    #expect(try scan.orphans.map { try drive.discard($0, to: 7) } == [false, true, true])
    #expect(place.exists("._gone") && !place.exists("d/e/._x"))
    let trash = try drive.openTrash(of: 7, create: false)?.items() ?? []
    #expect(Set(trash.compactMap { $0.info?.path.description }) == ["d/._gone.jpg", "d/e/._x"])
    #expect(OrphanScan(of: drive)?.orphans.isEmpty == true)
  }

  @Test("A scan that is stopped is none")
  func stops() throws {
    let place = try TestGround(.journal)
    try FileManager.default.createDirectory(atPath: place.path + "/d", withIntermediateDirectories: true)
    for number in 0..<500 { try place.put("d/\(number)", "x") }
    let drive = try place.open()
    for limit in [0, 1, 3] {
      var asked = 0
      #expect(
        OrphanScan(of: drive) {
          asked += 1
          return asked <= limit
        } == nil)
      #expect(asked == limit + 1)
    }
  }
}
