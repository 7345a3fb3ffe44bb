import PhotoLibrary
import Platform
import Testing

@Suite("Names of photos in a folder")
struct FolderListingTests {
  private func asset(
    _ number: Int64, _ name: String, id: String? = nil, added: Int64? = nil,
    _ renditions: [(Rendition.Kind, String)] = [(.original, "JPG")]
  ) -> Asset {
    Asset(
      id: AssetID(id ?? "\(number)AAAAAA-0000-0000-0000-00000000000\(number)"), number: number, kind: .photo,
      originalName: name, taken: nil, zoneOffset: 0, added: Timestamp(seconds: added ?? number), isFavorite: false,
      isHidden: false,
      renditions: renditions.map {
        Rendition(kind: $0.0, fileExtension: $0.1, location: .nowhere, recordedSize: 0, availability: .local)
      })
  }

  private func names(_ assets: [Asset]) -> [String] { FolderListing(naming: assets).files.map(\.name.description) }

  // osxphotos 134
  @Test("two photos with one name are both there, the one added later with the start of its id")
  func twins() {
    let listed = names([asset(2, "IMG_1.JPG", added: 20), asset(1, "IMG_1.JPG", added: 10)])
    #expect(listed == ["IMG_1~2AAAAAA0.JPG", "IMG_1.JPG"])
  }

  // rsync 437
  @Test(
    "names that differ in case or normalisation are told apart",
    arguments: [("IMG.JPG", "img.jpg"), ("\u{E9}.jpg", "e\u{301}.jpg")])
  func caseTwins(first: String, second: String) {
    let listed = names([asset(1, first), asset(2, second)])
    #expect(Set(listed.map(PortableName.collisionKey)).count == 2)
    #expect(Array(listed[0].utf8) == Array(first.utf8))
  }

  // osxphotos 2110
  @Test("a Live Photo keeps its stem beside a separate video of that stem, whichever came first")
  func livePhotos() {
    let live = asset(1, "IMG_1.HEIC", added: 10, [(.original, "HEIC"), (.liveVideo, "mov")])
    let video = asset(2, "IMG_1.MOV", added: 20, [(.original, "MOV")])
    #expect(names([live, video]) == ["IMG_1.HEIC", "IMG_1.mov", "IMG_1~2AAAAAA0.MOV"])
    let early = asset(2, "IMG_1.MOV", added: 5, [(.original, "MOV")])
    #expect(names([live, early]) == ["IMG_1~1AAAAAA0.HEIC", "IMG_1~1AAAAAA0.mov", "IMG_1.MOV"])
  }

  @Test("JPG and HEIC of one stem do not clash; a RAW pair does with a RAW alone")
  func stems() {
    let jpeg = asset(1, "IMG_1.JPG")
    let heic = asset(2, "IMG_1.HEIC", [(.original, "HEIC")])
    #expect(names([jpeg, heic]) == ["IMG_1.JPG", "IMG_1.HEIC"])
    let pair = asset(3, "DSC_1.JPG", [(.original, "JPG"), (.raw, "DNG")])
    let alone = asset(4, "DSC_1.DNG", [(.original, "DNG")])
    #expect(names([pair, alone]) == ["DSC_1.JPG", "DSC_1.DNG", "DSC_1~4AAAAAA0.DNG"])
  }

  @Test("an edited rendition shares the stem")
  func edited() {
    let photo = asset(
      1, "IMG_1.HEIC", [(.original, "HEIC"), (.edited, "jpeg"), (.liveVideo, "mov"), (.editedLiveVideo, "mov")])
    #expect(names([photo]) == ["IMG_1.HEIC", "IMG_1 (Edited).jpeg", "IMG_1.mov", "IMG_1 (Edited).mov"])
    let movie = asset(2, "M.MOV", [(.original, "MOV"), (.edited, "mov"), (.editedLiveVideo, "mov")])
    #expect(Set(names([movie]).map(PortableName.collisionKey)).count == 3)
  }

  @Test("a name without extension gets the file's")
  func noExtension() {
    #expect(names([asset(1, "Sunset over St. Moritz", [(.original, "jpeg")])]) == ["Sunset over St. Moritz.jpeg"])
    #expect(names([asset(1, "..", [(.original, "jpeg")])]) == ["．．.jpeg"])
  }

  @Test("a name of 255 letters of 3 bytes is cut, and its twin is still distinct")
  func long() {
    let name = String(repeating: "写", count: 251) + ".jpg"
    let listed = names([asset(1, name), asset(2, name)])
    #expect(listed.allSatisfy { $0.utf8.count <= 255 && $0.hasSuffix(".jpg") })
    #expect(Set(listed).count == 2)
  }

  @Test("names are the same in every run and in whatever order the assets come")
  func stable() {
    let assets = (1...40).map { asset(Int64($0), "IMG_\($0 % 3).JPG", added: 7) }
    func table(_ list: [Asset]) -> [Int64: FileName] {
      Dictionary(uniqueKeysWithValues: FolderListing(naming: list).files.map { ($0.asset, $0.name) })
    }
    #expect(table(assets) == table(assets.reversed()))
    #expect(Set(table(assets).values).count == 40)
  }

  @Test("two records with one id still have two names; a record that comes twice has one")
  func damaged() {
    let same = [asset(1, "a.jpg", id: "X"), asset(2, "a.jpg", id: "X"), asset(3, "a.jpg", id: "../..")]
    #expect(Set(names(same)).count == 3)
    #expect(names([asset(1, "a.jpg"), asset(1, "a.jpg")]) == ["a.jpg"])
  }

  @Test("a file is found by exactly its name")
  func find() {
    let listing = FolderListing(naming: [asset(1, "a.jpg")])
    #expect(listing.file(FileName("a.jpg"))?.asset == 1)
    #expect(listing.file(FileName("A.jpg")) == nil)
  }
}
