import Platform
import Testing

@testable import PhotoLibrary

/// What an independent program says of a sample library.
struct Oracle: Decodable {
  struct Album: Decodable {
    let title: String
    let folders: [String]
    let members: [String]
  }

  struct Asset: Decodable {
    let uuid: String
    let original_filename: String
    let path: String?
    let path_live: String?
    let path_live_edited: String?
    let path_raw: String?
    let path_edited: String?
    let size_recorded: Int64
    let kind: String
    let favorite: Bool
    let hidden: Bool
    let trashed: Bool
    let shared: Bool
    let edited: Bool
    let live: Bool
    let has_raw: Bool
  }

  let albums: [Album]
  let shared_albums: [Album]
  let assets: [Asset]
}

@Suite("A sample library", .enabled(if: Fixtures.areThere, Fixtures.absence))
struct OracleTests {
  private static let sharedFolder = "resources/cloudsharing/data/17058154511/9F9A2608-AFE0-4232-A0DC-5ABA7317B978"

  struct Listing: Hashable, Comparable {
    let path: [String]
    let members: [String]
    static func < (left: Listing, right: Listing) -> Bool {
      (left.path + ["/"] + left.members).lexicographicallyPrecedes(right.path + ["/"] + right.members)
    }
  }

  private func listings(_ snapshot: any Snapshot, _ kind: Album.Kind) throws -> [Listing] {
    try snapshot.albums.filter { $0.kind == kind }.map { album in
      Listing(
        path: (snapshot.folders(of: album) + [album.title ?? ""]).map(\.nfc),
        members: try snapshot.members(of: album.id).map(\.id.text))
    }.sorted()
  }

  private func listings(_ albums: [Oracle.Album], without left: Set<String> = []) -> [Listing] {
    albums.map { album in
      Listing(path: album.folders + [album.title], members: album.members.filter { !left.contains($0) })
    }.sorted()
  }

  @Test("has the albums, folders and members that the oracle names, in its order", arguments: Fixtures.names)
  func albums(name: String) throws {
    let oracle = try Fixtures.json("\(name).oracle.json", as: Oracle.self)
    let library = try LibraryOpener.open(path: Fixtures.path(name), options: LibraryOptions(includeHidden: true))
    #expect(try listings(library.snapshot, .album) == listings(oracle.albums))
    #expect(try listings(library.snapshot, .sharedAlbum) == listings(oracle.shared_albums))
    #expect(library.warnings == [] && !library.isOutdated)

    let hidden = Set(oracle.assets.filter(\.hidden).map(\.uuid))
    let shown = try LibraryOpener.open(path: Fixtures.path(name)).snapshot
    #expect(try listings(shown, .album) == listings(oracle.albums, without: hidden))
  }

  @Test("has the assets that the oracle names, hidden ones only when asked", arguments: Fixtures.names)
  func assets(name: String) throws {
    let oracle = try Fixtures.json("\(name).oracle.json", as: Oracle.self).assets.filter { !$0.trashed && !$0.shared }
    let all = try LibraryOpener.open(path: Fixtures.path(name), options: LibraryOptions(includeHidden: true)).snapshot
    #expect(try Set(all.mainView().map(\.id.text)) == Set(oracle.map(\.uuid)))
    let shown = try LibraryOpener.open(path: Fixtures.path(name)).snapshot
    let view = try shown.mainView()
    #expect(Set(view.map(\.id.text)) == Set(oracle.filter { !$0.hidden }.map(\.uuid)))
    #expect(view.map(\.number) == view.map(\.number).sorted() && Set(view.map(\.number)).count == view.count)
    for asset in view { #expect(try shown.asset(number: asset.number) == asset) }
  }

  @Test(
    "gives each file that is there byte by byte, and says of the others that they are not", arguments: Fixtures.names)
  func files(name: String) throws {
    let oracle = try Fixtures.json("\(name).oracle.json", as: Oracle.self).assets.filter { !$0.trashed }
    let snapshot = try LibraryOpener.open(path: Fixtures.path(name), options: LibraryOptions(includeHidden: true))
      .snapshot
    var assets = try snapshot.mainView()
    for album in snapshot.albums where album.kind == .sharedAlbum { assets += try snapshot.members(of: album.id) }
    let byID = Dictionary(assets.map { ($0.id.text, $0) }, uniquingKeysWith: { first, _ in first })

    // Recorded as being in the cloud only, which the oracle believes; the file is there.
    let present = "9D671650-B2FD-4760-84CA-FD25AF622C63"

    func check(_ rendition: Rendition?, _ path: String?, _ what: Comment) throws {
      guard let path else {
        if let rendition { #expect(isNotHere(rendition, in: snapshot), what) }
        return
      }
      let rendition = try #require(rendition, what)
      let file = try snapshot.open(rendition)
      let expected = try contents("\(Fixtures.path(name))/\(path)")
      #expect(try file.contents() == expected, what)
      #expect(try snapshot.status(of: rendition).size == expected.count, what)
    }

    for expected in oracle {
      let asset = try #require(byID[expected.uuid], "\(expected.uuid)")
      #expect(asset.originalName.nfc == expected.original_filename)
      #expect(asset.kind == (expected.kind == "movie" ? .video : .photo))
      #expect(asset.isFavorite == expected.favorite && asset.isHidden == expected.hidden)
      #expect(asset.renditions.first?.kind == .original)
      #expect(asset.rendition(.original)?.recordedSize == expected.size_recorded)
      #expect((asset.rendition(.raw) != nil) == expected.has_raw, "\(expected.uuid)")
      #expect((asset.rendition(.edited) != nil) == expected.edited, "\(expected.uuid)")
      let lagging = expected.uuid == present ? "\(Self.sharedFolder)/\(present).JPG" : nil
      try check(asset.rendition(.original), expected.path ?? lagging, "\(expected.uuid) original")
      try check(asset.rendition(.liveVideo), expected.path_live, "\(expected.uuid) live")
      try check(asset.rendition(.raw), expected.path_raw, "\(expected.uuid) raw")
      try check(asset.rendition(.edited), expected.path_edited, "\(expected.uuid) edited")
      try check(asset.rendition(.editedLiveVideo), expected.path_live_edited, "\(expected.uuid) edited live")
    }
  }

  @Test("is the same before and after", arguments: Fixtures.names + ["Edge-13"])
  func unchanged(name: String) throws {
    let before = try BundleState(Fixtures.path(name))
    let snapshot = try LibraryOpener.open(path: Fixtures.path(name)).snapshot
    for asset in try snapshot.mainView() { _ = try? snapshot.open(try #require(asset.renditions.first)) }
    for album in snapshot.albums { _ = try snapshot.members(of: album.id) }
    #expect(try BundleState(Fixtures.path(name)) == before)
  }
}
