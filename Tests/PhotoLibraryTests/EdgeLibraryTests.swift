import Platform
import Testing

@testable import PhotoLibrary

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the maker of the awkward library says of it.
struct EdgeLibrary: Decodable {
  struct Asset: Decodable {
    let uuid: String
    let path: String?
    let live_path: String?
    let raw_path: String?
    let edited_path: String?
    let hidden: Int
    let trashed: Int
    let visibility: Int
    let size_recorded: Int64
    let openable: Bool
    let odd: String
  }

  struct Album: Decodable {
    /// A UUID, or the number of a row that is not there.
    enum Member: Decodable {
      case asset(String)
      case nothing

      init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        self = (try? value.decode(String.self)).map(Member.asset) ?? .nothing
      }
    }

    let pk: Int64
    let uuid: String
    let title: String?
    let kind: Int
    let parent: Int64?
    let trashed: Int
    let sort: [Int]
    let members: [Member]
  }

  let root_pk: Int64
  let assets: [Asset]
  let albums: [Album]
}

@Suite("The awkward library", .enabled(if: Fixtures.areThere, Fixtures.absence))
struct EdgeLibraryTests {
  private let folder: TemporaryFolder
  private let path: String
  private let expected: EdgeLibrary

  init() throws {
    folder = try TemporaryFolder()
    path = try folder.copy("Edge-13")
    expected = try Fixtures.json("Edge-13.expected.json", as: EdgeLibrary.self)
    // Copies of the sample may have lost the link that leads out of the bundle.
    let link = try #require(expected.assets.first { $0.odd.contains("symlink") }?.path)
    try remove("\(path)/\(link)")
    try write(Array("secret".utf8), to: folder.path + "/outside.jpeg")
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/\(link)", withDestinationPath: folder.path + "/outside.jpeg")
  }

  private func open(hidden: Bool) throws -> any Snapshot {
    try LibraryOpener.open(path: path, options: LibraryOptions(includeHidden: hidden)).snapshot
  }

  @Test("shows every album and folder once, lost and circular ones at the top")
  func albums() throws {
    let snapshot = try open(hidden: false)
    let shown = expected.albums.filter { $0.trashed == 0 }
    #expect(Set(snapshot.albums.map(\.id.text)) == Set(shown.map(\.uuid)))
    #expect(snapshot.albums.count == shown.count)
    let folders = Dictionary(uniqueKeysWithValues: shown.filter { $0.kind == 4000 }.map { ($0.pk, $0) })
    for album in shown {
      let read = try #require(snapshot.albums.first { $0.id.text == album.uuid })
      // Bytes, since some titles are canonically equivalent.
      #expect(read.title.map { Array($0.utf8) } == album.title.map { Array($0.utf8) })
      #expect(read.kind == (album.kind == 4000 ? .folder : .album))
      let isInCycle = (album.title ?? "").hasPrefix("Cycle ")
      let parent = isInCycle ? nil : album.parent.flatMap { folders[$0]?.uuid }
      #expect(read.parent?.text == parent, "\(album.title ?? "")")
    }
  }

  @Test("has the members that are assets and shown", arguments: [false, true])
  func members(hidden: Bool) throws {
    let snapshot = try open(hidden: hidden)
    let assets = Dictionary(uniqueKeysWithValues: expected.assets.map { ($0.uuid, $0) })
    for album in expected.albums where album.trashed == 0 && album.kind == 2 {
      let members = try snapshot.members(of: AlbumID(album.uuid))
      let wanted = album.members.compactMap { member -> String? in
        guard case .asset(let uuid) = member, let asset = assets[uuid] else { return nil }
        return asset.trashed == 0 && asset.visibility == 0 && (hidden || asset.hidden == 0) ? uuid : nil
      }
      if album.sort[0] == 0 {
        #expect(members.map(\.id.text) == wanted, "\(album.title ?? "")")
      } else {
        #expect(Set(members.map(\.id.text)) == Set(wanted))
        let dates = members.map(\.taken).filter { $0 != nil }.compactMap(\.self)
        #expect(dates == dates.sorted(by: >))
      }
    }
  }

  @Test("opens what may be opened and nothing else")
  func files() throws {
    let snapshot = try open(hidden: true)
    let view = try snapshot.mainView()
    let wanted = expected.assets.filter { $0.trashed == 0 && $0.visibility == 0 }
    #expect(view.map(\.id.text) == wanted.map(\.uuid))
    for asset in wanted {
      let read = try #require(view.first { $0.id.text == asset.uuid })
      let original = try #require(read.rendition(.original))
      #expect(original.recordedSize == asset.size_recorded || asset.odd == "no attributes row", "\(asset.odd)")
      #expect(!read.originalName.isEmpty)
      if asset.openable, let path = asset.path {
        #expect(try snapshot.open(original).contents() == contents("\(self.path)/\(path)"), "\(asset.odd)")
        #expect(try snapshot.status(of: original).size == contents("\(self.path)/\(path)").count)
      } else {
        #expect(isNotHere(original, in: snapshot), "\(asset.odd)")
        #expect(throws: LibraryError.self) { try snapshot.status(of: original) }
      }
      for (kind, path) in [
        (Rendition.Kind.liveVideo, asset.live_path), (.raw, asset.raw_path), (.edited, asset.edited_path),
      ] {
        guard let path else { continue }
        let rendition = try #require(read.rendition(kind), "\(asset.odd)")
        #expect(try snapshot.open(rendition).contents() == contents("\(self.path)/\(path)"), "\(asset.odd)")
      }
    }
  }

  @Test("gives partners the extensions that people know")
  func extensions() throws {
    let view = try open(hidden: false).mainView()
    func asset(_ odd: String) throws -> Asset {
      let uuid = try #require(expected.assets.first { $0.odd == odd }?.uuid)
      return try #require(view.first { $0.id.text == uuid })
    }
    let live = try asset("Live Photo")
    #expect(live.rendition(.original)?.fileExtension == "HEIC" && live.rendition(.liveVideo)?.fileExtension == "mov")
    #expect(try asset("RAW+JPEG, RAW chosen").rendition(.raw)?.fileExtension == "DNG")
    #expect(try asset("edited, rendered as JPEG").rendition(.edited)?.fileExtension == "jpeg")
    #expect(try asset("original filename NULL").rendition(.original)?.fileExtension == "jpeg")
    let cloudMovie = try #require(try asset("Live Photo whose movie is cloud-only").rendition(.liveVideo))
    #expect(cloudMovie.availability == .cloudOnly)
    #expect(try asset("original filename is not UTF-8").originalName == "bad\u{FFFD}\u{FFFD}2100.jpg")
  }

  @Test("bounds absurd dates and keeps missing ones missing")
  func dates() throws {
    let view = try open(hidden: false).mainView()
    func taken(_ odd: String) throws -> Timestamp? {
      let uuid = try #require(expected.assets.first { $0.odd == odd }?.uuid)
      return try #require(view.first { $0.id.text == uuid }).taken
    }
    #expect(try taken("date NULL") == nil)
    #expect(try taken("date far out of range") == Timestamp(seconds: 253_402_300_799))
    #expect(try #require(try taken("1904")).seconds < 0)
    #expect(try taken("plain") == Timestamp(seconds: 650_003_600 + 978_307_200, nanoseconds: 500_000_000))
  }
}
