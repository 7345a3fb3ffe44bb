import Platform
import Testing

@testable import BackupDrive

@Suite("A file is whole under its name when close returns, and not before")
struct VersionTests {
  @Test("A new file is seen in the mount at once and on the drive after its flush", arguments: Ground.available)
  func createsOnFlush(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    let (node, handle) = try drive.create(name("a.jpg"), in: drive.root, exclusive: true)
    try handle.write("hello")
    #expect(try drive.names() == ["a.jpg"])
    #expect(!place.exists("a.jpg"))
    #expect(try drive.text("a.jpg") == "hello")
    #expect(try drive.status(of: node).size == 5)
    try handle.flush()
    #expect(place.onDrive("a.jpg") == Array("hello".utf8))
    #expect(try place.leftovers() == [])
    #expect(try drive.lookup(name("a.jpg"), in: drive.root) === node)
    handle.release()
    #expect(try drive.status(of: node).size == 5)
    #expect(try drive.status(of: node).inode == node.number)
  }

  @Test("Opening for writing without a change commits nothing", arguments: Ground.available)
  func opensWithoutCost(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let steps = LogLines()
    let drive = try place.open(step: { (step) throws(Errno) in steps.add("\(step)") })
    try drive.write("a", "one")
    let before = steps.all.count
    let handle = try drive.edit("a")
    #expect(try handle.text() == "one")
    #expect(try place.leftovers() == [])
    try handle.close()
    #expect(steps.all.count == before)
  }

  @Test("A change in place works on a copy; readers see the old version until the commit", arguments: Ground.available)
  func changesInPlace(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("a", "old old old")
    let reader = try drive.read("a")
    let writer = try drive.edit("a")
    try writer.write("NEW", at: 4)
    #expect(try writer.text() == "old NEW old")
    #expect(try reader.text() == "old old old")
    #expect(place.onDrive("a") == Array("old old old".utf8))
    try writer.flush()
    #expect(try reader.text() == "old NEW old")
    #expect(place.onDrive("a") == Array("old NEW old".utf8))
    // opendal-yinyang 18: a write after a flush begins another version.
    try writer.write("!!!", at: 8)
    #expect(place.onDrive("a") == Array("old NEW old".utf8))
    #expect(try reader.text() == "old NEW old")
    try writer.close()
    #expect(place.onDrive("a") == Array("old NEW !!!".utf8))
    reader.release()
    #expect(try place.leftovers() == [])
  }

  @Test("Writers share one pending version", arguments: Ground.available)
  func sharesVersion(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    let (node, first) = try drive.create(name("a"), in: drive.root, exclusive: true)
    let second = try drive.open(node, reading: true, writing: true, truncate: false, append: true)
    try first.write("ab")
    try second.write("cd")
    #expect(try first.text() == "abcd")
    try first.close()
    try second.close()
    #expect(place.onDrive("a") == Array("abcd".utf8))
  }

  @Test("An empty file and an emptied file are committed too", arguments: Ground.available)
  func commitsEmpty(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    let (_, handle) = try drive.create(name("a"), in: drive.root, exclusive: true)
    try handle.close()
    #expect(place.onDrive("a") == [])
    try drive.write("a", "text")
    let emptied = try drive.open(try drive.node("a"), reading: false, writing: true, truncate: true, append: false)
    #expect(place.onDrive("a") == Array("text".utf8))
    try emptied.close()
    #expect(place.onDrive("a") == [])
  }

  @Test(
    "What a killed process wrote is dropped: the old version stands, a new file is not there",
    arguments: Ground.available)
  func dropsKilled(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("old", "whole")
    let writer = try drive.edit("old")
    try writer.write("HALF")
    try writer.flush(writerWasKilled: true)
    writer.release()
    #expect(try drive.text("old") == "whole")
    let (_, new) = try drive.create(name("new"), in: drive.root, exclusive: true)
    try new.write("half")
    try new.flush(writerWasKilled: true)
    new.release()
    #expect(try drive.names() == ["old"])
    #expect(try place.leftovers() == [])
  }

  @Test("A living process that closes after a killed one commits", arguments: Ground.available)
  func commitsForLiving(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    let (_, handle) = try drive.create(name("a"), in: drive.root, exclusive: true)
    try handle.write("x")
    try handle.flush(writerWasKilled: true)
    try handle.close()
    #expect(place.onDrive("a") == Array("x".utf8))
  }

  @Test("What a shared mapping writes after close is committed at release", arguments: Ground.available)
  func commitsAtRelease(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("a", "one")
    let handle = try drive.edit("a")
    try handle.flush()
    try handle.write("two")
    handle.release()
    #expect(place.onDrive("a") == Array("two".utf8))
  }

  @Test("truncate without a handle commits; it does not commit what another is writing", arguments: Ground.available)
  func truncatesByName(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("a", "123456")
    try drive.truncate(try drive.node("a"), to: 3)
    #expect(place.onDrive("a") == Array("123".utf8))
    let writer = try drive.edit("a")
    try writer.write("xyz")
    try drive.truncate(try drive.node("a"), to: 2)
    #expect(place.onDrive("a") == Array("123".utf8))
    try writer.close()
    #expect(place.onDrive("a") == Array("xy".utf8))
  }

  // curvine 1106
  @Test("A grow for which there is no room leaves file and space as before", arguments: Ground.available)
  func refusesGrow(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("a", "safe")
    let handle = try drive.edit("a")
    #expect(throws: Errno.self) { try handle.truncate(to: Int64.max - 4096) }
    #expect(throws: Errno.self) { try handle.preallocate(offset: 0, length: Int64.max - 4096, keepSize: false) }
    #expect(try place.leftovers() == [])
    try handle.close()
    #expect(place.onDrive("a") == Array("safe".utf8))
  }

  // marfs 174, netatalk-client 159
  @Test("Times set before close and after it survive, each by itself", arguments: Ground.available)
  func keepsTimes(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    let (node, handle) = try drive.create(name("a"), in: drive.root, exclusive: true)
    try handle.write("x")
    let taken = Timestamp(seconds: 1_000_000_000, nanoseconds: ground == .exfat ? 0 : 123_456_789)
    try drive.setTimes(of: node, accessed: .keep, modified: .set(taken))
    try handle.close()
    #expect(try drive.status(of: node).modified == taken)
    let later = Timestamp(seconds: 1_200_000_000)
    try drive.setTimes(of: node, accessed: .set(later), modified: .keep)
    #expect(try drive.status(of: node).modified == taken)
    try drive.setTimes(of: node, accessed: .keep, modified: .set(later))
    #expect(try drive.status(of: node).modified == later)
    try drive.rename("a", "b")
    #expect(try drive.status(of: node).modified == later)
  }

  // acd_cli 498
  @Test("Sparse writes read back with zeros between", arguments: Ground.available)
  func writesSparse(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    let (_, handle) = try drive.create(name("a"), in: drive.root, exclusive: true)
    try handle.truncate(to: 300_000)
    try handle.write("end", at: 299_997)
    try handle.write("mid", at: 100_000)
    try handle.close()
    var expected = [UInt8](repeating: 0, count: 300_000)
    expected.replaceSubrange(100_000..<100_003, with: "mid".utf8)
    expected.replaceSubrange(299_997..<300_000, with: "end".utf8)
    #expect(place.onDrive("a") == expected)
  }

  @Test("Much data is pushed out while it comes and arrives whole", arguments: Ground.available)
  func writesMuch(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    let (_, handle) = try drive.create(name("big"), in: drive.root, exclusive: true)
    let chunk = [UInt8]((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    for index in 0..<18 { try handle.write(chunk, at: Int64(index) << 20) }
    try handle.close()
    let written = try #require(place.onDrive("big"))
    #expect(written.count == 18 << 20)
    for index in 0..<18 { #expect(written[(index << 20)..<((index + 1) << 20)].elementsEqual(chunk)) }
  }
}
