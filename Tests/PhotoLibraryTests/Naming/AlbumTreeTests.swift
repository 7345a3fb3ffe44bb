import PhotoLibrary
import Platform
import Testing

@Suite("Folders and albums as folders of a file system")
struct AlbumTreeTests {
  private func album(_ id: String, _ title: String?, _ kind: Album.Kind = .album, in parent: String? = nil) -> Album {
    Album(
      id: AlbumID(id), title: title, kind: kind, parent: parent.map { AlbumID($0) }, recordedCount: nil, created: nil)
  }

  private func paths(_ albums: [Album], _ top: AlbumTree.Top = .own) -> [String] {
    let tree = AlbumTree(albums)
    var paths: [Int: String] = [:]
    return tree.outline(of: top).map { position, _ in
      let node = tree.nodes[position]
      let path = (node.parent.flatMap { paths[$0] }.map { $0 + "/" } ?? "") + node.name.description
      paths[position] = path
      return path
    }
  }

  // osxphotos 1420
  @Test("awkward titles are portable, distinct folders and nothing escapes")
  func titles() {
    let titles: [String?] = ["2019/2020", "..", " ", "new\nline", "Same", "Same", "same", nil, ""]
    let list = paths(titles.enumerated().map { album("\($0.offset)BBBBBBBB", $0.element) })
    #expect(list.count == titles.count)
    #expect(Set(list.map(PortableName.collisionKey)).count == titles.count)
    #expect(list[0] == "2019／2020")
    #expect(list[1] == "．．")
    #expect(list[4] == "Same" && list[5] == "Same~5BBBBBBB")
    #expect(list.allSatisfy { !$0.contains("/") && !$0.contains("\n") })
  }

  @Test("nested folders, in the sidebar's order, also when children come first")
  func nested() {
    let list = paths([
      album("c", "Japan", in: "b"), album("b", "Trips", .folder), album("a", "Family"),
      album("d", "Empty", .folder, in: "b"),
    ])
    #expect(list == ["Trips", "Trips/Japan", "Trips/Empty", "Family"])
  }

  // Titles as in osxphotos 156: an album and a folder share a name.
  @Test("shared albums stand apart")
  func shared() {
    let albums = [album("a", "Trip"), album("b", "Trip", .sharedAlbum), album("c", "Trip", .folder)]
    #expect(paths(albums) == ["Trip", "Trip~C"])
    #expect(paths(albums, .shared) == ["Trip"])
  }

  @Test("folders nested ten thousand deep")
  func deep() {
    let albums = (0..<10_000).map { album("\($0)", "f", .folder, in: $0 == 0 ? nil : "\($0 - 1)") }
    #expect(AlbumTree(albums).outline(of: .own).last?.depth == 9_999)
  }
}
