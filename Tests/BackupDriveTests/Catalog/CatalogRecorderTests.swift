import Foundation
import Platform
import Testing

@testable import BackupDrive

@Suite("What is done to a drive comes to its catalog")
struct CatalogRecorderTests {
  /// Compares rows with files: the same paths, sizes and times.
  private func expectAgreement(_ place: TestGround, _ drive: BackupDrive) throws {
    let catalog = try drive.openCatalog(thoroughly: true)
    let files = try FileManager.default.subpathsOfDirectory(atPath: place.path).filter {
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(atPath: place.path + "/" + $0, isDirectory: &isFolder)
      return isThere && !isFolder.boolValue && !$0.hasPrefix(".foldic") && !$0.hasPrefix(".Trash")
    }
    #expect(try Set(catalog.paths()) == Set(files))
    for entry in try catalog.entries(limit: 1000) {
      let status = try Descriptor.open(place.path + "/" + String(decoding: entry.path.bytes, as: UTF8.self)).status()
      #expect(entry.looksLike(status), "\(entry.path)")
    }
  }

  @Test("Commits, renames, removals and times", arguments: Ground.available)
  func follows(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let log = LogLines()
    let drive = try place.open(catalog: true, log: log)
    try drive.makeDirectory("A")
    try drive.makeDirectory("A/Deep")
    for index in 0..<5 { try drive.write("A/\(index)", "\(index)") }
    try drive.write("A/Deep/x", "xx")
    try drive.write("A/1", "longer than before")
    try drive.rename("A/2", "A/two")
    try drive.rename("A/3", "A/1")
    try drive.remove("A/4")
    try drive.rename("A", "B")
    try drive.setTimes(
      of: try drive.node("B/0"), accessed: .keep, modified: .set(Timestamp(seconds: 1_600_000_000)))
    let (_, handle) = try drive.create(name("part"), in: drive.root, exclusive: true)
    try handle.write("pending")
    try drive.rename("part", "whole")
    try handle.close()
    if ground == .journal { try drive.rename("whole", "B/0", .exchange) }
    drive.close()
    #expect(log.all == [])
    try expectAgreement(place, try place.open())
  }

  @Test("A hash stays with a file that is renamed and goes with its content")
  func hashes() throws {
    let place = try TestGround(.journal)
    let drive = try place.open(catalog: true)
    let catalog = try drive.openCatalog()
    for text in ["kept", "lost"] {
      try place.put(text, text)
      let status = try Descriptor.open(place.path + "/" + text).status()
      try catalog.record([
        CatalogEntry(
          path: at(text), size: status.size, modified: status.modified, hash: ContentHash(of: text.utf8))
      ])
    }
    try drive.rename("kept", "moved")
    try drive.write("lost", "same size as before or not")
    drive.close()
    #expect(try catalog.entry(at("moved"))?.hash == ContentHash(of: "kept".utf8))
    #expect(try catalog.entry(at("lost"))?.hash == nil)
    try expectAgreement(place, try place.open())
  }

  @Test("A file that has another name before its row is written takes no old row along")
  func overtaken() throws {
    let place = try TestGround(.journal)
    let drive = try place.open(catalog: true)
    try place.put("a", "old")
    let status = try Descriptor.open(place.path + "/a").status()
    try drive.openCatalog().record([
      CatalogEntry(path: at("a"), size: status.size, modified: status.modified, hash: ContentHash(of: "old".utf8))
    ])
    // All within one batch.
    try drive.write("a", "new")
    try drive.rename("a", "b")
    drive.close()
    let catalog = try place.open().openCatalog()
    #expect(try catalog.paths() == ["b"])
    #expect(try catalog.entry(at("b"))?.hash == nil)
  }

  @Test("A catalog that cannot be used is one line, no error for writers, and noted on the drive")
  func failure() throws {
    let place = try TestGround(.journal)
    try FileManager.default.createDirectory(
      atPath: place.path + "/.foldic/catalog.sqlite", withIntermediateDirectories: false)
    let log = LogLines()
    let drive = try place.open(catalog: true, log: log)
    for index in 0..<10 { try drive.write("\(index)", "x") }
    drive.close()
    #expect(log.all.count == 1, "\(log.all)")
    #expect(try Catalog.isBehind(in: Descriptor.open(place.path + "/.foldic", .directory)))
    for index in 0..<10 { #expect(place.onDrive("\(index)") == Array("x".utf8)) }
  }

  @Test("A damaged catalog is set aside and a new one takes the rows")
  func damage() throws {
    let place = try TestGround(.journal)
    try place.put(".foldic/catalog.sqlite", String(repeating: "no database ", count: 500))
    let log = LogLines()
    let drive = try place.open(catalog: true, log: log)
    try drive.write("a", "x")
    drive.close()
    #expect(log.all.count == 1)
    #expect(place.exists(".foldic/catalog.sqlite.broken-1"))
    try expectAgreement(place, try place.open())
  }

  @Test("A catalog that another process sets aside while it is used is followed", arguments: Ground.available)
  func replaced(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let log = LogLines()
    let drive = try place.open(catalog: true, log: log)
    try drive.write("a", "x")
    let service = try drive.openService()
    // The first batch is written when its file is there with a row.
    var rows = 0
    while rows == 0 { rows = try drive.openCatalog().count() }
    try service.rename(FileName("catalog.sqlite"), to: FileName("elsewhere"), in: service)
    try service.rename(FileName("catalog.sqlite-journal"), to: FileName("elsewhere-journal"), in: service)
    try drive.write("b", "y")
    drive.close()
    #expect(log.all == [])
    #expect(try place.open().openCatalog(thoroughly: true).paths() == ["b"])
  }
}
