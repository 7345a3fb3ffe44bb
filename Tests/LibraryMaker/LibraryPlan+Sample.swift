extension LibraryPlan {
  /// A small library that holds one of everything: folders, clashing names, pairs, edits, what is missing, awkward titles.
  ///
  /// All members of `Trips/…` and `Family` are on the disk, so that those copy without an error.
  public static var sample: LibraryPlan {
    var plan = LibraryPlan(assets: [], albums: [], seed: 2023)
    let july = 1_689_500_000.25
    let hour = 3600.0

    let trips = plan.add(PlannedAlbum("Trips", kind: .folder))
    let asia = plan.add(PlannedAlbum("Asia", kind: .folder, in: trips))
    let japan = (1...6).map { number in
      plan.add(
        PlannedAsset(
          "IMG_000\(number).JPG", taken: july + Double(number) * hour, zoneOffset: 32400, isFavorite: number == 2,
          keywords: number < 4 ? ["Kyoto"] : []))
    }
    // Names that meet in one folder: the same again (osxphotos 134), case twins, both Unicode forms.
    let clashes = [
      plan.add(PlannedAsset("IMG_0001.JPG", taken: july + 10 * hour)),
      plan.add(PlannedAsset("img_0002.jpg", taken: july + 11 * hour)),
      plan.add(PlannedAsset("caf\u{E9}.jpg", taken: july + 12 * hour)),
      plan.add(PlannedAsset("cafe\u{301}.jpg", taken: july + 13 * hour)),
    ]
    let live = plan.add(PlannedAsset("IMG_0010.JPG", taken: july + 14 * hour, hasLiveVideo: true, isFavorite: true))
    // A video of its own with the stem of the Live Photo (osxphotos 2110).
    let video = plan.add(PlannedAsset("IMG_0010.MOV", medium: .movie, taken: july + 15 * hour))
    let pair = plan.add(PlannedAsset("DSC_0100.JPG", taken: july - 24 * hour, hasRaw: true))
    let edited = plan.add(PlannedAsset("IMG_0020.JPG", taken: july - 48 * hour, isEdited: true))
    let screenshot = plan.add(PlannedAsset("Screenshot 1.png", medium: .png, taken: july - 400 * 24 * hour))
    // The recorded size is not the file's.
    let longer = plan.add(PlannedAsset("IMG_0030.JPG", size: 40_000, recordedSize: 20_000, taken: july + 16 * hour))
    let large = plan.add(
      PlannedAsset("IMG_0040.MOV", medium: .movie, size: 3 << 20, taken: july + 17 * hour, zoneOffset: -14400))

    plan.add(PlannedAlbum("Japan 2023", in: asia, members: japan + clashes + [live, video]))
    plan.add(PlannedAlbum("Edited & pairs", in: trips, order: .oldestFirst, members: [pair, edited, screenshot]))
    plan.add(PlannedAlbum("Family", order: .newestFirst, members: [japan[1], longer, large, live]))
    plan.add(PlannedAlbum("Empty"))

    let cloud = plan.add(PlannedAsset("IMG_0050.JPG", presence: .cloudOnly, recordedSize: 123_456, taken: july))
    let lost = plan.add(PlannedAsset("IMG_0051.JPG", presence: .lost, recordedSize: 7_890, taken: july + hour))
    let hidden = plan.add(PlannedAsset("IMG_0060.JPG", taken: july + 2 * hour, isHidden: true))
    let trashed = plan.add(PlannedAsset("IMG_0061.JPG", taken: july + 3 * hour, isTrashed: true))
    plan.add(PlannedAlbum("Not here", members: [cloud, lost, japan[0]]))
    plan.add(PlannedAlbum("Partly hidden", members: [hidden, trashed, japan[2]]))

    // Titles as people and programs have made them (osxphotos 1420).
    let awkward = plan.add(PlannedAlbum("Awkward titles", kind: .folder))
    for (index, title) in ["2019/2020", "..", " ", "two\nlines", "Twins", "Twins", nil, "\u{C1}gua", "."].enumerated() {
      plan.add(PlannedAlbum(title, in: awkward, members: [japan[index % japan.count]]))
    }
    let sharedPhoto = plan.add(PlannedAsset("IMG_0070.JPG", taken: july + 20 * hour))
    let sharedVideo = plan.add(PlannedAsset("IMG_0071.MOV", medium: .movie, taken: july + 21 * hour))
    plan.add(PlannedAlbum("Shared with friends", kind: .shared, members: [sharedPhoto, sharedVideo]))
    return plan
  }

  /// A library of `count` assets in `albumCount` albums, ten to a folder; each asset is in one or two of them. `size` is
  /// the bytes of each original.
  public static func generated(
    assets count: Int, albums albumCount: Int, seed: UInt64, size: Int64 = 0, isSparse: Bool = false
  ) -> LibraryPlan {
    var plan = LibraryPlan(assets: [], albums: [], seed: seed)
    plan.pictureBlocks = 2
    var generator = SeededGenerator(seed: seed)
    plan.assets.reserveCapacity(count)
    for index in 0..<count {
      let number = String(index % 10_000)
      let name = "IMG_" + String(repeating: "0", count: 4 - number.utf8.count) + number
      let isVideo = index % 25 == 24
      plan.add(
        PlannedAsset(
          name + (isVideo ? ".MOV" : ".JPG"), medium: isVideo ? .movie : .jpeg, size: size, isSparse: isSparse,
          taken: 1_262_304_000 + Double(index) * 21_000, isFavorite: index % 50 == 7))
    }
    for index in 0..<albumCount {
      if index % 10 == 0 { plan.add(PlannedAlbum("Folder \(index / 10 + 1)", kind: .folder)) }
      let folder = plan.albums.lastIndex { $0.kind == .folder }
      plan.add(PlannedAlbum("Album \(index + 1)", in: folder))
    }
    let albums = plan.albums.indices.filter { plan.albums[$0].kind == .album }
    guard !albums.isEmpty else { return plan }
    for index in 0..<count {
      plan.albums[albums[index * albums.count / count]].members.append(index)
      let other = albums[Int(generator.next() % UInt64(albums.count))]
      if index % 2 == 0, plan.albums[other].members.last != index { plan.albums[other].members.append(index) }
    }
    return plan
  }
}
