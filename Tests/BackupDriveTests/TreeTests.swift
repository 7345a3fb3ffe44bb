import Platform
import Testing

@testable import BackupDrive

@Suite("Names, renames and removals")
struct TreeTests {
  @Test("A pending file follows its name and the folders above it", arguments: Ground.available)
  func followsRenames(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.makeDirectory("d")
    let (_, handle) = try drive.create(name("a"), in: try drive.node("d"), exclusive: true)
    try handle.write("x")
    try drive.rename("d", "e")
    try drive.rename("e/a", "e/b")
    #expect(try drive.names("e") == ["b"])
    try handle.close()
    #expect(place.onDrive("e/b") == Array("x".utf8))
    #expect(try place.names("e") == ["b"])
  }

  @Test("A rename onto a file replaces it; open handles keep the old bytes", arguments: Ground.available)
  func replaces(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("old", "old")
    try drive.write("new", "new")
    let reader = try drive.read("old")
    let writer = try drive.edit("old")
    try writer.write("lost")
    try drive.rename("new", "old")
    #expect(try reader.text() == "old")
    #expect(try drive.text("old") == "new")
    try writer.close()
    reader.release()
    #expect(place.onDrive("old") == Array("new".utf8))
    #expect(try drive.names() == ["old"])
    #expect(try place.leftovers() == [])
  }

  @Test("A pending file renamed onto a committed one replaces it at its commit", arguments: Ground.available)
  func coversCommitted(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("a", "old")
    let (_, handle) = try drive.create(name("t"), in: drive.root, exclusive: true)
    try handle.write("new")
    try drive.rename("t", "a")
    #expect(place.onDrive("a") == Array("old".utf8))
    #expect(try drive.text("a") == "new")
    try handle.close()
    #expect(place.onDrive("a") == Array("new".utf8))
    let (_, killed) = try drive.create(name("t"), in: drive.root, exclusive: true)
    try killed.write("half")
    try drive.rename("t", "a")
    try killed.flush(writerWasKilled: true)
    killed.release()
    #expect(try drive.text("a") == "new")
    #expect(try place.leftovers() == [])
  }

  @Test("A removed open file goes on, and nothing of it is committed", arguments: Ground.available)
  func removesOpen(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("a", "text")
    let reader = try drive.read("a")
    let writer = try drive.edit("a")
    try writer.write("T")
    try drive.remove("a")
    #expect(try reader.text() == "text")
    #expect(try writer.text() == "Text")
    try writer.close()
    reader.release()
    #expect(try drive.names() == [])
    #expect(try place.names() == [".foldic"])
    #expect(try place.leftovers() == [])
  }

  // s3fs-fuse 2933
  @Test("NOREPLACE refuses; EXCHANGE swaps or refuses with nothing changed", arguments: Ground.available)
  func keepsRenameRules(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("a", "A")
    try drive.write("b", "B")
    #expect(throws: Errno.exists) { try drive.rename("a", "b", .noReplace) }
    if ground == .exfat {
      #expect(throws: Errno.invalid) { try drive.rename("a", "b", .exchange) }
      #expect(try [drive.text("a"), drive.text("b")] == ["A", "B"])
    } else {
      try drive.rename("a", "b", .exchange)
      #expect(try [drive.text("a"), drive.text("b")] == ["B", "A"])
    }
    try drive.rename("a", "c", .noReplace)
    #expect(try drive.names() == ["b", "c"])
  }

  // rsync 437
  @Test("A twin in case is refused with a line naming both, pending or committed", arguments: Ground.available)
  func refusesTwins(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let log = LogLines()
    let drive = try place.open(log: log)
    let (_, pending) = try drive.create(name("IMG.JPG"), in: drive.root, exclusive: true)
    #expect(throws: Errno.exists) { try drive.create(name("img.jpg"), in: drive.root, exclusive: false) }
    try pending.close()
    #expect(throws: Errno.exists) { try drive.create(name("img.jpg"), in: drive.root, exclusive: false) }
    #expect(throws: Errno.noSuchFile) { try drive.lookup(name("img.jpg"), in: drive.root) }
    try drive.write("x", "x")
    #expect(throws: Errno.exists) { try drive.rename("x", "Img.jpg") }
    #expect(log.all.allSatisfy { $0.contains("IMG.JPG") } && log.all.count == 3)
    #expect(try place.leftovers() == [])
  }

  // relan/exfat 8, nemo 3549
  @Test("A rename that only changes case or normal form works", arguments: Ground.available)
  func respells(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("abcd", "x")
    try drive.makeDirectory("dir")
    try drive.write("dir/f", "y")
    try drive.rename("abcd", "ABCD")
    try drive.rename("dir", "DIR")
    #expect(try drive.names() == ["ABCD", "DIR"])
    #expect(try drive.text("ABCD") == "x")
    #expect(try drive.text("DIR/f") == "y")
    let composed = "caf\u{E9}"
    let decomposed = "cafe\u{301}"
    try drive.write(composed, "z")
    #expect(try drive.lookup(name(decomposed), in: drive.root) === drive.lookup(name(composed), in: drive.root))
    #expect(throws: Errno.exists) { try drive.create(name(decomposed), in: drive.root, exclusive: true) }
    try drive.write(decomposed, "zz")
    #expect(try drive.names().count == 3)
    try drive.rename(composed, decomposed)
    #expect(try drive.entries(of: drive.root).contains { $0.name == name(decomposed) })
    #expect(try drive.text(composed) == "zz")
  }

  // go-mtpfs 103
  @Test("rmdir of a folder that holds anything is refused", arguments: Ground.available)
  func keepsFullFolders(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    let folder = try drive.makeDirectory("d")
    let (_, handle) = try drive.create(name("a"), in: folder, exclusive: true)
    #expect(throws: Errno.notEmpty) { try drive.removeDirectory(name("d"), in: drive.root) }
    try handle.close()
    #expect(throws: Errno.notEmpty) { try drive.removeDirectory(name("d"), in: drive.root) }
    try drive.remove("d/a")
    try drive.removeDirectory(name("d"), in: drive.root)
    #expect(try drive.names() == [])
    #expect(throws: Errno.noSuchFile) { try drive.create(name("b"), in: folder, exclusive: true) }
    #expect(try place.leftovers() == [])
  }

  @Test("The service folder is hidden and out of reach in every spelling", arguments: Ground.available)
  func hidesService(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("x", "x")
    #expect(try drive.names() == ["x"])
    for spelling in [".foldic", ".FOLDIC", ".Foldic.", ".fol\u{200D}dic"] {
      #expect(throws: Errno.noSuchFile) { try drive.lookup(name(spelling), in: drive.root) }
      #expect(throws: Errno.notPermitted) { try drive.create(name(spelling), in: drive.root, exclusive: false) }
      #expect(throws: Errno.notPermitted) { try drive.makeDirectory(name(spelling), in: drive.root) }
      #expect(throws: Errno.notPermitted) { try drive.rename("x", spelling) }
      #expect(throws: Errno.noSuchFile) { try drive.rename(spelling, "y") }
    }
  }

  @Test("Names that a drive cannot hold are refused and leave nothing", arguments: Ground.available)
  func refusesNames(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    let surrogate = try #require(FileName(bytes: [0xED, 0xA0, 0x80]))
    #expect(throws: Errno.illegalSequence) { try drive.create(surrogate, in: drive.root, exclusive: true) }
    let long = name(String(repeating: "x", count: 256))
    #expect(throws: Errno.nameTooLong) { try drive.create(long, in: drive.root, exclusive: true) }
    #expect(try drive.names() == [])
    #expect(try place.leftovers() == [])
  }
}
