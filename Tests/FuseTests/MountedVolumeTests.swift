import FaultyDrive
import Fuse
import Platform
import Testing

/// A volume in memory, mounted for real: what a program does there goes through kernel, libfuse and the Swift layer.
@Suite("A mounted file system", .serialized)
struct MountedVolumeTests {
  private let volume = FaultyVolume()

  private func withMount(_ body: (borrowing Descriptor) throws -> Void) throws {
    let mount = try MountedVolume(volume)
    defer { mount.unmount() }
    try body(try Descriptor.open(mount.path, [.read, .directory]))
  }

  @Test("gives back what was written, also in pieces larger than one request")
  func roundTrip() throws {
    try withMount { root in
      var generator = SeededGenerator(seed: 7)
      let content = (0..<3_000_001).map { _ in UInt8.random(in: 0...255, using: &generator) }
      try root.open(FileName("photo"), [.readWrite, .create]).write(content)
      #expect(try root.open(FileName("photo")).read(count: 4_000_000, at: 0) == content)
      #expect(try root.status(of: FileName("photo")).size == 3_000_001)
    }
  }

  @Test("lists every name once, however many pages the listing takes")
  func listing() throws {
    try withMount { root in
      try root.makeDirectory(FileName("album"))
      let album = try root.open(FileName("album"), [.read, .directory])
      let names = (0..<3000).compactMap { FileName("IMG_\($0) with a name of some length.jpeg") }
      for name in names { _ = try album.open(name, [.write, .create]) }
      let listed = try album.entries().map(\.name)
      #expect(listed.count == 3000)
      #expect(Set(listed) == Set(names))
    }
  }

  @Test("an error of an operation is the caller's errno, and later calls work")
  func errors() throws {
    try withMount { root in
      #expect(throws: Errno.noSuchFile) { try root.status(of: FileName("nothing")) }
      let file = try root.open(FileName("full"), [.readWrite, .create])
      volume.plan(.fail(at: 1, .noSpace))
      #expect(throws: Errno.noSpace) { try file.write([1, 2, 3]) }
      volume.plan(.fail(at: 1, .inputOutput))
      #expect(throws: Errno.inputOutput) { try file.synchronize() }
      try file.write([4])
      #expect(try file.read(count: 10, at: 0) == [4])
    }
  }

  @Test("renames, removes and refuses to remove a folder that is not empty")
  func names() throws {
    try withMount { root in
      try root.makeDirectory(FileName("a"))
      let folder = try root.open(FileName("a"), [.read, .directory])
      try folder.open(FileName("x"), [.write, .create]).write([1])
      #expect(throws: Errno.notEmpty) { try root.removeDirectory(FileName("a")) }
      try folder.rename(FileName("x"), to: FileName("y"), in: root)
      #expect(try root.open(FileName("y")).read(count: 1, at: 0) == [1])
      try root.removeDirectory(FileName("a"))
      try root.removeFile(FileName("y"))
      #expect(try root.entries().isEmpty)
    }
  }

  @Test("keeps times to the nanosecond, each by itself (netatalk-client 159)")
  func times() throws {
    try withMount { root in
      _ = try root.open(FileName("x"), [.write, .create])
      let (first, second) = (
        Timestamp(seconds: -5, nanoseconds: 7), Timestamp(seconds: 1 << 33, nanoseconds: 123_456_789)
      )
      try root.setTimes(of: FileName("x"), accessed: .set(first), modified: .set(first))
      try root.setTimes(of: FileName("x"), accessed: .keep, modified: .set(second))
      let status = try root.status(of: FileName("x"))
      #expect(status.accessed == first)
      #expect(status.modified == second)
    }
  }

  @Test("a power cut leaves only what was synchronised: the folder's entry and the file's bytes are two things")
  func cut() throws {
    try withMount { root in
      try root.open(FileName("lost"), [.write, .create]).write([1])
      let kept = try root.open(FileName("kept"), [.write, .create])
      try kept.write([1, 2])
      try kept.synchronize()
      try root.synchronize()
      try kept.write([9], at: 2)
    }
    let after = try MountedVolume(volume.afterCut(seed: nil))
    defer { after.unmount() }
    let root = try Descriptor.open(after.path, [.read, .directory])
    #expect(try root.open(FileName("kept")).read(count: 9, at: 0) == [1, 2])
    #expect(try root.open(FileName("lost")).read(count: 9, at: 0).isEmpty)
  }
}
