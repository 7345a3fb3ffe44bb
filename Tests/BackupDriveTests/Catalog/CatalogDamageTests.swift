import FaultyDrive
import Foundation
import Platform
import SQLite
import Testing

@testable import BackupDrive

@Suite("A damaged catalog")
struct CatalogDamageTests {
  /// A catalog of some pages, as bytes.
  private func sample() throws -> [UInt8] {
    let ground = try CatalogGround()
    try ground.open().record((0..<300).map { row("Album \($0 % 7)/IMG_\($0).jpg", hash: "\($0)", asset: "id\($0)") })
    return try #require(ground.scratch.read("catalog.sqlite") as [UInt8]?)
  }

  /// Opens damaged bytes: all rows are there, or the file was kept under another name and an empty catalog is there.
  private func open(_ bytes: [UInt8], _ what: String) throws {
    let ground = try CatalogGround()
    try ground.scratch.write("catalog.sqlite", bytes)
    let catalog = try ground.open(thoroughly: true)
    let count = try catalog.count()
    if let name = catalog.setAside {
      #expect(count == 0, "\(what)")
      #expect(ground.scratch.read("\(name)") == bytes, "\(what)")
    } else {
      // No page of the rows was hit, or only bytes within a value.
      // Of one byte SQLite makes a new database.
      #expect(count == 300 || bytes.count <= 1, "\(what)")
    }
    // It works again, with a journal of its own.
    try catalog.record([row("new")])
    #expect(try ground.open(thoroughly: true).entry(at("new")) == row("new"), "\(what)")
  }

  @Test("cut at any place is set aside and made anew")
  func truncated() throws {
    let bytes = try sample()
    var cuts = Array(stride(from: 0, to: bytes.count, by: 1024))
    cuts += [1, 15, 16, 17, 99, 100, bytes.count - 1]
    for cut in cuts { try open(Array(bytes.prefix(cut)), "cut at \(cut)") }
  }

  @Test("with any page overwritten is set aside, or gives all its rows")
  func pages() throws {
    let bytes = try sample()
    var generator = SeededGenerator(seed: 11)
    for page in 0..<bytes.count / 4096 {
      for fill in [0x00, 0xFF, nil] as [UInt8?] {
        var damaged = bytes
        for index in page * 4096..<(page + 1) * 4096 {
          damaged[index] = fill ?? UInt8.random(in: 0...255, using: &generator)
        }
        try open(damaged, "page \(page) filled with \(fill.map { "\($0)" } ?? "noise")")
      }
    }
  }

  @Test("with bytes changed anywhere never harms")
  func mutations() throws {
    let bytes = try sample()
    for seed in 0..<300 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let damaged = mutate(bytes, with: &generator)
      let ground = try CatalogGround()
      try ground.scratch.write("catalog.sqlite", damaged)
      let catalog = try ground.open(thoroughly: true)
      try catalog.record([row("new")])
      #expect(try catalog.entry(at("new")) != nil, "seed \(seed)")
    }
  }

  @Test("of another program, of a newer format, or with code in its schema is set aside")
  func foreign() throws {
    for statement in [
      "CREATE TABLE other (x)", "PRAGMA user_version=2", "PRAGMA application_id=1",
      "CREATE TRIGGER t AFTER INSERT ON copy BEGIN DELETE FROM copy; END", "CREATE VIEW v AS SELECT * FROM copy",
      "DROP INDEX copyByAsset", "DELETE FROM mark", "UPDATE mark SET id = 'x'",
    ] {
      let ground = try CatalogGround()
      try ground.open().record([row("a")])
      try Connection(path: ground.path + "/catalog.sqlite", mode: .readWrite).execute(statement)
      let catalog = try ground.open()
      #expect(catalog.setAside == FileName("catalog.sqlite.broken-1"), "\(statement)")
      #expect(try catalog.count() == 0)
    }
  }

  @Test("with rows that no catalog of ours has is set aside")
  func hostileRows() throws {
    let good = "x'61', NULL, 1, 1, 1, NULL, 1"
    for (values, isFine) in [
      (good, true), ("x'2e2e2f61', NULL, 1, 1, 1, NULL, 1", false), ("x'2f61', NULL, 1, 1, 1, NULL, 1", false),
      ("x'', NULL, 1, 1, 1, NULL, 1", false), ("x'6100', NULL, 1, 1, 1, NULL, 1", false),
      ("x'2e666f6c6469632f61', NULL, 1, 1, 1, NULL, 1", false), ("x'61', NULL, -1, 1, 1, NULL, 1", false),
      ("x'61', NULL, 'many', 1, 1, NULL, 1", false), ("x'61', NULL, 1, 1, 1000000000, NULL, 1", false),
      ("x'61', NULL, 1, 1, 1, x'0102', 1", false), ("zeroblob(40000), NULL, 1, 1, 1, NULL, 1", false),
    ] {
      let ground = try CatalogGround()
      _ = try ground.open()
      try Connection(path: ground.path + "/catalog.sqlite", mode: .readWrite)
        .execute("INSERT INTO copy VALUES (\(values))")
      #expect((try ground.open(thoroughly: true).setAside == nil) == isFine, "\(values)")
    }
  }

  @Test("Copies of the files in the middle of a transaction hold what was before it")
  func copiedInTheMiddle() throws {
    let ground = try CatalogGround()
    let catalog = try ground.open()
    try catalog.record((0..<200).map { row("old/\($0)") })
    // So that pages are written before the end of the transaction.
    try catalog.connection.execute("PRAGMA cache_size=2")
    var copies: [ScratchFolder] = []
    try? catalog.connection.transaction { (connection) throws(SQLiteError) in
      var writer = try CatalogWriter(connection)
      for index in 0..<200 {
        try writer.apply(.recorded(row("old/\(index)", size: 99), over: nil))
        try writer.apply(.recorded(row("new/\(index)"), over: nil))
        guard index % 20 == 19, let copy = try? ScratchFolder() else { continue }
        for name in ["catalog.sqlite", "catalog.sqlite-journal"] {
          if let bytes = ground.scratch.read(name) { try? copy.write(name, bytes) }
        }
        copies.append(copy)
      }
    }
    #expect(copies.count == 10)
    for copy in copies {
      let opened = try Catalog.open(in: try Descriptor.open(copy.path, .directory), thoroughly: true)
      #expect(opened.setAside == nil)
      #expect(try opened.count() == 200)
      #expect(try opened.entries(limit: 300).allSatisfy { $0.size == 1 })
    }
  }

  @Test("After a power cut at any operation all acknowledged rows are there", arguments: [nil, 1, 2] as [UInt64?])
  func powerCuts(seed: UInt64?) throws {
    var number = 1
    while true {
      let volume = FaultyVolume(keepsAttributes: false)
      let mount = try MountedVolume(volume)
      var acknowledged = 0
      let cutAt = number
      func work() throws {
        let folder = try Descriptor.open(mount.path, [.read, .directory])
        let catalog = try Catalog.open(in: folder)
        acknowledged = 1
        for batch in 0..<3 {
          try catalog.record((0..<40).map { row("\(batch)/\($0)") } + [row("all", size: Int64(batch))])
          acknowledged = batch + 2
        }
      }
      volume.plan(.cut(at: cutAt))
      let isWhole = (try? work()) != nil
      mount.unmount()
      let after = try MountedVolume(volume.afterCut(seed: seed))
      defer { after.unmount() }
      let catalog = try Catalog.open(in: try Descriptor.open(after.path, [.read, .directory]), thoroughly: true)
      let batches = max(0, acknowledged - 1)
      let count = try catalog.count()
      if acknowledged > 0 { #expect(catalog.setAside == nil, "cut at \(cutAt)") }
      // Whole batches only: those that were acknowledged, and perhaps the one in work.
      let allowed = [batches, batches + 1].map { $0 * 40 + min(1, $0) }
      #expect(allowed.contains(count), "cut at \(cutAt): \(count) rows after \(batches) batches")
      if isWhole { break }
      number += 1
    }
    #expect(number > 20)
  }
}
