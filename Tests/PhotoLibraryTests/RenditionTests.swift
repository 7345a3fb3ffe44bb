import Platform
import Testing

@testable import PhotoLibrary

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("The files of an asset")
struct RenditionTests {
  private let folder: TemporaryFolder
  private let library: SmallLibrary
  private var uuid: String { SmallLibrary.uuid(1) }

  init() throws {
    folder = try TemporaryFolder()
    library = try SmallLibrary(in: folder)
  }

  private func asset(_ options: LibraryOptions = LibraryOptions()) throws -> (asset: Asset, snapshot: any Snapshot) {
    let snapshot = try library.open(options).snapshot
    return (try #require(try snapshot.asset(number: 1)), snapshot)
  }

  private func text(_ rendition: Rendition?, _ snapshot: any Snapshot) throws -> String {
    String(decoding: try snapshot.open(try #require(rendition)).contents(), as: UTF8.self)
  }

  private func addResource(_ type: Int, _ subtype: Int, _ version: Int, local: Int = 1) throws {
    try library.run("INSERT INTO ZINTERNALRESOURCE VALUES (NULL, 1, \(type), \(subtype), \(version), 5, \(local), 1)")
  }

  private func put(_ path: String) throws { try write(Array(path.utf8), to: "\(library.path)/\(path)") }

  @Test("are each found in their place")
  func allKinds() throws {
    try library.addAsset(
      1, columns: "ZKIND, ZKINDSUBTYPE, ZADJUSTMENTSSTATE, ZUNIFORMTYPEIDENTIFIER", values: "0, 2, 1, 'public.heic'")
    for (type, subtype, version) in [(3, 18, 0), (4, 17, 0), (0, 2, 2), (3, 19, 2)] {
      try addResource(type, subtype, version)
    }
    let live = "originals/0/\(uuid)_3.mov"
    let raw = "originals/0/\(uuid)_4.nef"
    let edited = "resources/renders/0/\(uuid)_1_201_a.jpeg"
    let editedLive = "resources/renders/0/\(uuid)_2_100_a.mov"
    for path in [live, raw, edited, editedLive] { try put(path) }
    let (asset, snapshot) = try asset()
    #expect(asset.renditions.map(\.kind) == [.original, .liveVideo, .raw, .edited, .editedLiveVideo])
    #expect(asset.renditions.map(\.fileExtension) == ["JPG", "mov", "NEF", "jpeg", "mov"])
    #expect(try text(asset.rendition(.liveVideo), snapshot) == live)
    #expect(try text(asset.rendition(.raw), snapshot) == raw)
    #expect(try text(asset.rendition(.edited), snapshot) == edited)
    #expect(try text(asset.rendition(.editedLiveVideo), snapshot) == editedLive)
  }

  @Test("that are in the cloud only are listed all the same")
  func cloudOnly() throws {
    try library.addAsset(1, columns: "ZKIND, ZADJUSTMENTSSTATE, ZUNIFORMTYPEIDENTIFIER", values: "0, 1, 'public.heic'")
    for (type, subtype, version) in [(3, 18, 0), (4, 17, 0), (0, 2, 2)] {
      try addResource(type, subtype, version, local: -1)
    }
    let (asset, snapshot) = try asset()
    #expect(asset.renditions.map(\.kind) == [.original, .liveVideo, .raw, .edited])
    #expect(asset.rendition(.edited)?.fileExtension == "heic")
    for rendition in asset.renditions.dropFirst() {
      #expect(rendition.availability == .cloudOnly && rendition.recordedSize == 5)
      #expect(isNotHere(rendition, in: snapshot))
    }
  }

  @Test("of an edited video and of a slow motion that has no render")
  func videos() throws {
    try library.addAsset(1, columns: "ZKIND, ZADJUSTMENTSSTATE", values: "1, 3")
    #expect(try asset().asset.renditions.map(\.kind) == [.original])
    try library.run("UPDATE ZASSET SET ZADJUSTMENTSSTATE = 1")
    try put("resources/renders/0/\(uuid)_1_201_a.jpeg")
    #expect(try asset().asset.renditions.map(\.kind) == [.original], "that is only the poster")
    try put("resources/renders/0/\(uuid)_2_0_a.mov")
    let (asset, snapshot) = try asset()
    #expect(asset.kind == .video && asset.rendition(.edited)?.fileExtension == "mov")
    #expect(try text(asset.rendition(.edited), snapshot).hasSuffix("_2_0_a.mov"))
  }

  @Test("of shared albums lie in either of two places, videos under another name", arguments: ["scopes", "resources"])
  func shared(top: String) throws {
    try library.addAsset(1, columns: "ZKIND, ZCLOUDBATCHPUBLISHDATE, ZSAVEDASSETTYPE", values: "1, 5, 4")
    try library.run("UPDATE ZASSET SET ZDIRECTORY = '17/ALBUM', ZFILENAME = ZUUID || '.MP4'")
    let path = "\(top)/cloudsharing/data/17/ALBUM/\(uuid).medium.MP4"
    try put(path)
    let (asset, snapshot) = try asset()
    #expect(try text(asset.rendition(.original), snapshot) == path)
  }

  @Test("are found when only the case of their names differs", arguments: [false, true])
  func otherCase(capitals: Bool) throws {
    try library.addAsset(1)
    let name = capitals ? "ORIGINALS/0/\(uuid).JPEG" : "originals/0/\(uuid.lowercased()).jpeg"
    try remove(library.path + "/originals")
    try put(name)
    let (asset, snapshot) = try asset()
    #expect(try text(asset.rendition(.original), snapshot) == name)
    try remove("\(library.path)/\(name)")
    #expect(
      isNotHere(try #require(asset.rendition(.original)), in: snapshot), "what was found once is looked for again")
    try put(name)
    #expect(try text(asset.rendition(.original), snapshot) == name)
  }

  @Test("are never what a record leads to outside the bundle, nor a folder, nor a link")
  func escapes() throws {
    try library.addAsset(1)
    try write(Array("secret".utf8), to: folder.path + "/secret.jpeg")
    for (directory, name) in [
      ("'..'", "'secret.jpeg'"), ("'0/../../..'", "'secret.jpeg'"), ("'\(folder.path)'", "'secret.jpeg'"),
      ("'0'", "'../../../secret.jpeg'"), ("'0'", "CAST(x'610062' AS TEXT)"), ("''", "'x'"), ("NULL", "NULL"),
      ("7", "8"),
    ] {
      try library.run("UPDATE ZASSET SET ZDIRECTORY = \(directory), ZFILENAME = \(name)")
      // Rights to referenced places must not help a record that claims no reference.
      let (asset, snapshot) = try asset(LibraryOptions(referenceRoots: ["/", folder.path]))
      #expect(isNotHere(try #require(asset.rendition(.original)), in: snapshot), "\(directory) \(name)")
    }
    try library.run("UPDATE ZASSET SET ZDIRECTORY = '0', ZFILENAME = 'link.jpeg'")
    let link = library.path + "/originals/0/link.jpeg"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "\(uuid).jpeg")
    var (asset, snapshot) = try asset()
    #expect(isNotHere(try #require(asset.rendition(.original)), in: snapshot))
    try remove(link)
    try put("originals/0/link.jpeg/inner")
    (asset, snapshot) = try self.asset()
    #expect(isNotHere(try #require(asset.rendition(.original)), in: snapshot))
  }

  @Test("do not hang on a pipe in the place of a file", .timeLimit(.minutes(1)))
  func pipe() throws {
    try library.addAsset(1)
    let path = "\(library.path)/originals/0/\(uuid).jpeg"
    try remove(path)
    #expect(mkfifo(path, 0o600) == 0)
    let (asset, snapshot) = try asset()
    #expect(isNotHere(try #require(asset.rendition(.original)), in: snapshot))
  }

  @Test("come with the facts that are recorded of it")
  func facts() throws {
    try library.addAsset(1, columns: "ZKIND, ZFAVORITE, ZDATECREATED, ZADDEDDATE", values: "0, 1, 0.25, -1")
    try library.run("UPDATE ZADDITIONALASSETATTRIBUTES SET ZTIMEZONEOFFSET = -14400, ZORIGINALFILESIZE = 99")
    let first = try asset().asset
    #expect(first.isFavorite && !first.isHidden && first.kind == .photo)
    #expect(first.id.text == uuid && first.number == 1)
    #expect(first.taken == Timestamp(seconds: 978_307_200, nanoseconds: 250_000_000))
    #expect(first.added == Timestamp(seconds: 978_307_199))
    #expect(first.zoneOffset == -14_400)
    #expect(first.rendition(.original)?.recordedSize == 99)
    // Hostile values.
    try library.run(
      "UPDATE ZADDITIONALASSETATTRIBUTES SET ZTIMEZONEOFFSET = 9e18, ZORIGINALFILESIZE = -5, ZORIGINALFILENAME = ''",
      "UPDATE ZASSET SET ZDATECREATED = 'text', ZADDEDDATE = 9e999, ZUUID = NULL, ZFILENAME = NULL")
    let second = try asset().asset
    #expect(second.zoneOffset == 0 && second.taken == nil && second.added == nil)
    #expect(second.originalName == "asset-1" && second.id.text == "asset-1")
    #expect(second.rendition(.original)?.recordedSize == 36)
  }

  // MARK: - Referenced originals (osxphotos 1459)

  private func addReferenced() throws -> String {
    let root = folder.path + "/MacBook Mojave"
    try write(Array("outside".utf8), to: root + "/Users/Shared/Pumpkins4.jpg")
    try write(Array("raw".utf8), to: root + "/Users/Shared/Pumpkins4.CR2")
    try library.addAsset(1, columns: "ZKIND, ZSAVEDASSETTYPE", values: "0, 10")
    try library.run(
      "UPDATE ZASSET SET ZDIRECTORY = '/Volumes/MacBook Mojave/Users/Shared', ZFILENAME = 'Pumpkins4.jpg'",
      "CREATE TABLE ZFILESYSTEMBOOKMARK (Z_PK INTEGER PRIMARY KEY, ZPATHRELATIVETOVOLUME VARCHAR)",
      "CREATE TABLE ZFILESYSTEMVOLUME (Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR)",
      "ALTER TABLE ZINTERNALRESOURCE ADD COLUMN ZFILESYSTEMBOOKMARK",
      "ALTER TABLE ZINTERNALRESOURCE ADD COLUMN ZFILESYSTEMVOLUME",
      "INSERT INTO ZFILESYSTEMBOOKMARK VALUES (1, 'Users/Shared/Pumpkins4.CR2')",
      "INSERT INTO ZFILESYSTEMVOLUME VALUES (1, 'MacBook Mojave')",
      "INSERT INTO ZINTERNALRESOURCE VALUES (NULL, 1, 4, 17, 0, 3, 1, 0, 1, 1)")
    return root
  }

  @Test("that are referenced open below a root of the volume's name, with their partners")
  func referenced() throws {
    let root = try addReferenced()
    let (asset, snapshot) = try asset(LibraryOptions(referenceRoots: [root + "/"]))
    #expect(try text(asset.rendition(.original), snapshot) == "outside")
    #expect(try text(asset.rendition(.raw), snapshot) == "raw")
    #expect(asset.rendition(.raw)?.fileExtension == "CR2")
  }

  @Test("that are referenced open below a root of the recorded path")
  func recordedPath() throws {
    let root = try addReferenced()
    try library.run("UPDATE ZASSET SET ZDIRECTORY = '\(root)/Users/Shared'")
    let (asset, snapshot) = try asset(LibraryOptions(referenceRoots: [folder.path]))
    #expect(try text(asset.rendition(.original), snapshot) == "outside")
  }

  @Test("that are referenced stay closed without a root, below another one, through a link or out of it")
  func notAllowed() throws {
    let root = try addReferenced()
    for roots in [[], [folder.path + "/Other"], [root + "/Users"], ["relative"]] {
      let (asset, snapshot) = try asset(LibraryOptions(referenceRoots: roots))
      #expect(isNotHere(try #require(asset.rendition(.original)), in: snapshot), "\(roots)")
    }
    try library.run("UPDATE ZASSET SET ZDIRECTORY = '\(root)/Users/../../MacBook Mojave/Users/Shared'")
    var (asset, snapshot) = try asset(LibraryOptions(referenceRoots: [root]))
    #expect(isNotHere(try #require(asset.rendition(.original)), in: snapshot))
    try FileManager.default.createSymbolicLink(atPath: root + "/Link", withDestinationPath: root + "/Users/Shared")
    try library.run("UPDATE ZASSET SET ZDIRECTORY = '\(root)/Link'")
    (asset, snapshot) = try self.asset(LibraryOptions(referenceRoots: [root]))
    #expect(isNotHere(try #require(asset.rendition(.original)), in: snapshot))
  }
}
