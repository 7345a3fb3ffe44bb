import Platform
import Testing

@testable import BackupDrive

@Suite("The catalog of a drive")
struct CatalogTests {
  @Test("gives back what was recorded, also after it was opened anew")
  func roundTrip() throws {
    let ground = try CatalogGround()
    let rows = [
      row("a.jpg", hash: "a", asset: "A1"), row("Trip/b.jpg", size: 0), row("Trip/b.mov", size: .max, asset: "A1"),
    ]
    let id: String
    do {
      let catalog = try ground.open()
      try catalog.record(rows)
      id = catalog.id
    }
    let catalog = try ground.open(thoroughly: true)
    #expect(catalog.id == id)
    #expect(catalog.setAside == nil)
    for row in rows { #expect(try catalog.entry(row.path) == row) }
    #expect(try catalog.entry(at("Trip")) == nil)
    #expect(try catalog.count() == 3)
    #expect(try catalog.entries(ofAsset: "A1").map(\.path) == [at("Trip/b.mov"), at("a.jpg")])
    var newer = rows[0]
    newer.size = 9
    newer.hash = nil
    try catalog.record([newer])
    #expect(try catalog.entry(at("a.jpg")) == newer)
  }

  @Test("pages through a folder without its neighbours of like names")
  func pages() throws {
    let ground = try CatalogGround()
    defer { withExtendedLifetime(ground) {} }
    let catalog = try ground.open()
    try catalog.record(["a", "a b/x", "a/1", "a/2", "a/c/3", "a/c/4", "a0", "a0/9", "b"].map { row($0) })
    #expect(try catalog.paths() == ["a", "a b/x", "a/1", "a/2", "a/c/3", "a/c/4", "a0", "a0/9", "b"])
    #expect(try catalog.paths(below: at("a")) == ["a/1", "a/2", "a/c/3", "a/c/4"])
    #expect(try catalog.paths(below: at("a/c")) == ["a/c/3", "a/c/4"])
    #expect(try catalog.paths(below: at("nothing")) == [])
  }

  @Test("follows renames and removals of files and folders")
  func moves() throws {
    let ground = try CatalogGround()
    defer { withExtendedLifetime(ground) {} }
    let catalog = try ground.open()
    try catalog.record(["a/1", "a/c/2", "a b/1", "b/old", "f"].map { row($0, hash: $0) })
    try catalog.moved(from: at("a"), to: at("b"))
    #expect(try catalog.paths() == ["a b/1", "b/1", "b/c/2", "f"])
    #expect(try catalog.entry(at("b/c/2"))?.hash == ContentHash(of: "a/c/2".utf8))
    // Into itself by name only.
    try catalog.moved(from: at("b"), to: at("b0"))
    try catalog.moved(from: at("f"), to: at("b0/1"))
    #expect(try catalog.paths() == ["a b/1", "b0/1", "b0/c/2"])
    try catalog.apply([.exchanged(at("a b"), at("b0"))])
    #expect(try catalog.paths() == ["a b/1", "a b/c/2", "b0/1"])
    try catalog.removed(at("a b"))
    #expect(try catalog.paths() == ["b0/1"])
  }

  @Test("keeps names that are no UTF-8 byte for byte, through renames too")
  func bytes() throws {
    let ground = try CatalogGround()
    defer { withExtendedLifetime(ground) {} }
    let catalog = try ground.open()
    let odd = try #require(RelativePath(bytes: [0x61, 0xFF, 0xC3, 0x2F, 0x80, 0x27]))
    let moved = try #require(RelativePath(bytes: [0xFE, 0x2F, 0x80, 0x27]))
    var entry = row("x")
    entry.path = odd
    try catalog.record([entry])
    try catalog.moved(from: odd.parent, to: moved.parent)
    #expect(try catalog.entries(limit: 9).map(\.path) == [moved])
  }

  @Test("composed and decomposed names are two")
  func normalForms() throws {
    let ground = try CatalogGround()
    defer { withExtendedLifetime(ground) {} }
    let catalog = try ground.open()
    try catalog.record([row("e\u{301}", size: 1), row("\u{E9}", size: 2)])
    #expect(try catalog.count() == 2)
    #expect(try catalog.entry(at("\u{E9}"))?.size == 2)
  }

  @Test("takes nothing of .foldic or a trash: what is moved there leaves it")
  func ordinaryPathsOnly() throws {
    let ground = try CatalogGround()
    defer { withExtendedLifetime(ground) {} }
    let catalog = try ground.open()
    try catalog.record([row("a"), row("b/c"), row(".foldic/x"), row(".Trash-0/files/y"), row("b/.Trash-0")])
    #expect(try catalog.paths() == ["a", "b/.Trash-0", "b/c"])
    try catalog.moved(from: at("b"), to: at(".Trash-1000/files/b"))
    #expect(try catalog.paths() == ["a"])
  }

  @Test("a row is not written over one that another process wrote meanwhile")
  func expectations() throws {
    let ground = try CatalogGround()
    defer { withExtendedLifetime(ground) {} }
    let catalog = try ground.open()
    let old = row("a")
    try catalog.record([old])
    var hashed = old
    hashed.hash = ContentHash(of: "1".utf8)
    try catalog.apply([.recorded(hashed, over: .row(old))])
    #expect(try catalog.entry(old.path) == hashed)
    var late = old
    late.hash = ContentHash(of: "2".utf8)
    try catalog.apply([.recorded(late, over: .row(old)), .recorded(late, over: .nothing)])
    #expect(try catalog.entry(old.path) == hashed)
    try catalog.apply([.touched(old.path, size: 99, modified: .now)])
    #expect(try catalog.entry(old.path) == hashed)
    try catalog.apply([.touched(old.path, size: 1, modified: Timestamp(seconds: 3))])
    #expect(try catalog.entry(old.path)?.modified == Timestamp(seconds: 3))
  }

  @Test("two writers at once lose nothing")
  func twoWriters() throws {
    let ground = try CatalogGround()
    _ = try ground.open()
    let folder = ground.path
    let problems = LogLines()
    let threads = try (0..<2).map { writer in
      Waited(
        try WorkerThread {
          do {
            let catalog = try Catalog.open(in: try Descriptor.open(folder, .directory))
            for index in 0..<40 { try catalog.record([row("\(writer)/\(index)")]) }
          } catch { problems.add("\(error)") }
        })
    }
    for thread in threads { thread.join() }
    #expect(problems.all == [])
    #expect(try ground.open(thoroughly: true).count() == 80)
  }

  /// A thread in an array.
  private final class Waited {
    private var thread: WorkerThread?
    init(_ thread: consuming WorkerThread) { self.thread = consume thread }
    func join() {
      var taken: WorkerThread?
      swap(&taken, &thread)
      if let taken { taken.join() }
    }
  }
}
