import Platform
import Testing

@testable import BackupDrive

@Suite("A sidecar lives and dies with its file")
struct BoundSidecarTests {
  /// A Mac's sidecar with one attribute, written past the program.
  static func bytes(_ value: String) throws -> [UInt8] {
    var content = AppleDouble()
    try content.set("com.example.k".bytes, to: value.bytes)
    return try content.serialised()
  }

  static func put(_ path: String, _ value: String, in place: TestGround) throws {
    try Descriptor.open(place.path + "/" + path, [.write, .create, .truncate]).write(try bytes(value))
  }

  /// A file with an attribute in a Mac's sidecar.
  private func make(_ path: String, _ value: String, _ drive: BackupDrive, _ place: TestGround) throws {
    try drive.write(path, value)
    let parts = path.split(separator: "/")
    try Self.put((parts.dropLast() + ["._" + (parts.last ?? "")]).joined(separator: "/"), value, in: place)
    _ = try drive.entries(of: try drive.folder(of: path).0)  // Notices what came behind its back.
    #expect(try drive.get("user.com.example.k", path) == value)
  }

  @Test("It is hidden, and shown when asked for", arguments: Ground.available)
  func hides(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try make("x", "1", drive, place)
    try place.put("._y", "no sidecar")
    try Self.put("._orphan", "2", in: place)
    #expect(try drive.names() == ["._orphan", "._y", "x"])
    #expect(throws: Errno.noSuchFile) { try drive.lookup(name("._x"), in: drive.root) }
    drive.close()
    let open = try place.open(showsSidecars: true)
    #expect(try open.names() == ["._orphan", "._x", "._y", "x"])
    _ = try open.lookup(name("._x"), in: open.root)
  }

  @Test(
    "It moves with its file, over another with another sidecar, and is removed with it", arguments: Ground.available)
  func follows(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.makeDirectory("d")
    try make("x", "1", drive, place)
    try drive.rename("x", "d/y")
    #expect(try place.names() == [".foldic", "d"])
    #expect(try drive.get("user.com.example.k", "d/y") == "1")
    // Over a file with a sidecar of its own.
    try make("x", "2", drive, place)
    try drive.rename("x", "d/y")
    #expect(try drive.text("d/y") == "2")
    #expect(try drive.get("user.com.example.k", "d/y") == "2")
    #expect(try place.names() == [".foldic", "d"])
    // A file without one over a file with one.
    try drive.write("plain", "3")
    try drive.rename("plain", "d/y")
    #expect(try drive.get("user.com.example.k", "d/y") == nil)
    #expect(try place.names("d") == ["y"])
    // A pending file over a file with one.
    try make("d/z", "4", drive, place)
    let (_, handle) = try drive.create(name("t"), in: drive.root, exclusive: true)
    try handle.write("5")
    try drive.rename("t", "d/z")
    #expect(try drive.get("user.com.example.k", "d/z") == nil)
    try handle.close()
    #expect(try drive.text("d/z") == "5")
    #expect(try place.names("d") == ["y", "z"])
    // Folders have one too, and a change of case takes it along (relan/exfat 8).
    try Self.put("._d", "6", in: place)
    _ = try drive.names()
    try drive.rename("d", "D")
    #expect(try place.names() == ["._D", ".foldic", "D"])
    #expect(try drive.get("user.com.example.k", "D") == "6")
    try drive.remove("D/y")
    try drive.remove("D/z")
    try drive.removeDirectory(name("D"), in: drive.root)
    try make("gone", "7", drive, place)
    try drive.remove("gone")
    #expect(try place.names() == [".foldic"])
    #expect(try place.leftovers() == [])
  }

  @Test("EXCHANGE of files with sidecars swaps both or changes nothing", arguments: Ground.available)
  func refusesExchange(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try make("x", "1", drive, place)
    try drive.write("y", "2")
    #expect(throws: Errno.invalid) { try drive.rename("x", "y", .exchange) }
    #expect(try [drive.text("x"), drive.text("y")] == ["1", "2"])
    #expect(try drive.get("user.com.example.k", "x") == "1")
  }

  @Test("One that another file has left is never a new file's", arguments: Ground.available)
  func dropsStale(_ ground: Ground) throws {
    let place = try TestGround(ground)
    try Self.put("._x", "stale", in: place)
    try Self.put("._d", "stale", in: place)
    let drive = try place.open()
    try drive.write("x", "1")
    try drive.makeDirectory("d")
    #expect(try drive.list("x") == [])
    #expect(try drive.list("d") == [])
    #expect(try place.names() == [".foldic", "d", "x"])
    #expect(try place.leftovers() == [])
  }

  @Test("One that a program writes waits for its file, or joins it and keeps its time", arguments: Ground.available)
  func waits(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    let text = try Self.bytes("1")
    func copy(_ path: String) throws {
      let (_, handle) = try drive.create(name(path), in: drive.root, exclusive: true)
      try handle.write(text, at: 0)
      try handle.close()
    }
    try copy("._x")
    #expect(try drive.names() == ["._x"])
    try drive.write("x", "1")
    #expect(try drive.names() == ["x"])
    #expect(try drive.get("user.com.example.k", "x") == "1")
    // The file is there first, with an exact time.
    try drive.write("y", "2")
    try drive.setTime("y", AttributeTests.exact)
    try copy("._y")
    #expect(try drive.names() == ["x", "y"])
    #expect(try drive.get("user.com.example.k", "y") == "1")
    #expect(try drive.time("y") == AttributeTests.exact)
    // As rsync does it.
    try copy(".._y.Xa12")
    try drive.rename(".._y.Xa12", "._y")
    #expect(try drive.names() == ["x", "y"])
    #expect(try drive.time("y") == AttributeTests.exact)
    // cryptomator 1487: this is no sidecar.
    try drive.write("._Testfile.txt.ZRpOGK", "content")
    try drive.setTime("._Testfile.txt.ZRpOGK", AttributeTests.exact)
    try drive.rename("._Testfile.txt.ZRpOGK", "_Testfile.txt")
    #expect(try drive.names() == ["_Testfile.txt", "x", "y"])
    #expect(try place.leftovers() == [])
  }

  // fuse-nio-adapter 20, go-mtpfs 103
  @Test("rmdir takes orphans along, and nothing else", arguments: Ground.available)
  func removesOrphans(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    for folder in ["orphans", "photo", "other"] { try drive.makeDirectory(folder) }
    try Self.put("orphans/._a", "1", in: place)
    try Self.put("orphans/._b", "2", in: place)
    try make("photo/a", "3", drive, place)
    try Self.put("other/._a", "4", in: place)
    try place.put("other/._b", "no sidecar")
    try drive.removeDirectory(name("orphans"), in: drive.root)
    for folder in ["photo", "other"] {
      #expect(throws: Errno.notEmpty) { try drive.removeDirectory(name(folder), in: drive.root) }
      #expect(try place.names(folder).count == 2)
    }
  }
}
