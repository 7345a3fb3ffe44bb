import LibraryMaker
import PhotoLibrary
import Platform
import Synchronization
import Testing

@testable import PhotoMount

/// A library in memory that counts what is asked of it.
private final class CountingSnapshot: Snapshot {
  let title = "Counting"
  let libraryID: String? = nil
  let albums: [Album]
  let membersAsked = Mutex<[AlbumID]>([])
  private let assets: [Asset]

  init(albums: [Album], assets: [Asset]) {
    self.albums = albums
    self.assets = assets
  }

  func members(of album: AlbumID) throws(LibraryError) -> [Asset] {
    membersAsked.withLock { $0.append(album) }
    return assets
  }

  func assets(after number: Int64, limit: Int) throws(LibraryError) -> [Asset] {
    Array(assets.filter { $0.number > number }.prefix(limit))
  }

  func asset(number: Int64) throws(LibraryError) -> Asset? { assets.first { $0.number == number } }
  func open(_ rendition: Rendition) throws(LibraryError) -> Descriptor { throw .notHere }
  func status(of rendition: Rendition) throws(LibraryError) -> FileStatus { throw .notHere }
}

@Suite("The views of a library")
struct LibraryViewsTests {
  private func asset(_ number: Int64, taken: Timestamp?, favorite: Bool = false) -> Asset {
    Asset(
      id: AssetID("ID\(number)"), number: number, kind: .photo, originalName: "IMG_\(number).JPG", taken: taken,
      zoneOffset: 0, added: nil, isFavorite: favorite, isHidden: false,
      renditions: [
        Rendition(kind: .original, fileExtension: "JPG", location: .nowhere, recordedSize: 77, availability: .cloudOnly)
      ])
  }

  private func snapshot() -> CountingSnapshot {
    func album(_ id: String, _ kind: Album.Kind, in parent: String? = nil) -> Album {
      Album(id: AlbumID(id), title: id, kind: kind, parent: parent.map { AlbumID($0) }, recordedCount: 1, created: nil)
    }
    return CountingSnapshot(
      albums: [album("Trips", .folder), album("Japan", .album, in: "Trips"), album("Family", .album)],
      assets: [
        asset(1, taken: Timestamp(seconds: 1_672_531_200)), asset(2, taken: nil, favorite: true),
        asset(3, taken: Timestamp(seconds: -2_082_844_800)), asset(1 << 50, taken: nil),
      ])
  }

  private func names(_ views: LibraryViews, _ folder: NodeNumber) throws -> [String] {
    try views.items(in: folder).map(\.name.description)
  }

  @Test("a folder that is listed reads no other folder's members")
  func lazy() throws {
    let snapshot = snapshot()
    let views = LibraryViews(snapshot, AssetTable(snapshot))
    #expect(try names(views, .fixed(.root)) == ["Albums", "All Photos", "Years", "Favorites"])
    #expect(try names(views, .fixed(.albums)) == ["Trips", "Family"])
    let trips = try views.find(FileName("Trips"), in: .fixed(.albums))
    #expect(try names(views, trips) == ["Japan"])
    #expect(snapshot.membersAsked.withLock { $0 }.isEmpty)
    let japan = try views.find(FileName("Japan"), in: trips)
    #expect(views.parent(of: japan) == trips)
    _ = try names(views, japan)
    _ = try names(views, japan)
    #expect(snapshot.membersAsked.withLock { $0 } == [AlbumID("Japan")])
  }

  @Test("years and months hold what was taken in them; what has no date is apart")
  func years() throws {
    let snapshot = snapshot()
    let views = LibraryViews(snapshot, AssetTable(snapshot))
    #expect(try names(views, .fixed(.years)) == ["1904", "2023", "Undated"])
    #expect(try names(views, .year(2023)) == ["2023-01"])
    #expect(try names(views, .month(year: 2023, month: 1)) == ["IMG_1.JPG"])
    #expect(try names(views, .year(0)) == ["IMG_2.JPG"])
    #expect(try names(views, .fixed(.favorites)) == ["IMG_2.JPG"])
    #expect(throws: Errno.noSuchFile) { try names(views, .month(year: 2023, month: 2)) }
    #expect(throws: Errno.noSuchFile) { try views.find(FileName("nothing"), in: .fixed(.allPhotos)) }
    #expect(throws: Errno.notDirectory) { try names(views, .file(asset: 1, .original)) }
  }

  @Test("an original that is not here is listed with its recorded size and cannot be opened")
  func missing() throws {
    let snapshot = snapshot()
    let statuses = RenditionStatuses(snapshot, AssetTable(snapshot))
    #expect(try statuses.status(asset: 1, .original).size == 77)
    #expect(throws: Errno.noData) { try statuses.open(asset: 1, .original).1 }
  }

  @Test("dates are shown within what file systems hold")
  func clamped() {
    #expect(asset(1, taken: Timestamp(seconds: 253_402_300_799)).shownTime.seconds == 15_032_385_535)
    #expect(asset(1, taken: Timestamp(seconds: -62_167_219_200)).shownTime.seconds == -1 << 31)
    #expect(asset(1, taken: nil).shownTime.seconds == 0)
  }
}
