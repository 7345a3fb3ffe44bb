#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Fills `Photos.sqlite`.
enum DatabaseWriting {
  private typealias Row = [(column: String, value: SampleDatabase.Value)]

  static func write(
    _ plan: LibraryPlan, _ assets: [WrittenAsset], albumIDs: [String], to path: String
  ) throws(LibraryMakerError) {
    // Made under another name: SQLite checkpoints when it closes, so a log with frames in it has to be copied away before.
    let making = path + ".making"
    let database = try SampleDatabase(creating: making)
    var generator = SeededGenerator(seed: plan.seed ^ 0xA1B0)
    try database.run("BEGIN; " + PhotosSchema.tables + PhotosSchema.memberships(entity: plan.membershipEntity))
    try writeMetadata(plan, using: &generator, into: database)
    let early = plan.writeAheadLog == .pending ? assets.count * 9 / 10 : assets.count
    var resources: Int64 = 0
    for index in 0..<early { try write(plan.assets[index], assets[index], index, &resources, into: database) }
    if plan.writeAheadLog == .pending {
      try database.run("COMMIT")
      try database.checkpoint()
      try database.run("BEGIN")
    }
    for index in early..<assets.count {
      try write(plan.assets[index], assets[index], index, &resources, into: database)
    }
    try writeKeywords(plan, using: &generator, into: database)
    try writeAlbums(plan, assets, albumIDs: albumIDs, using: &generator, into: database)
    try database.run("COMMIT")

    if plan.writeAheadLog == .pending {
      try FileWriting.copy(making, to: path)
      try FileWriting.copy(making + "-wal", to: path + "-wal")
    }
    database.close()
    if plan.writeAheadLog == .pending {
      unlink(making)
    } else {
      guard rename(making, path) == 0 else { throw LibraryMakerError("rename", path: making) }
      if plan.writeAheadLog == .empty { try FileWriting.write([], to: path + "-wal", using: &generator) }
    }
  }

  private static func writeMetadata(
    _ plan: LibraryPlan, using generator: inout SeededGenerator, into database: SampleDatabase
  ) throws(LibraryMakerError) {
    let plist = BinaryPlist.bytes([
      ("PLModelVersion", .integer(plan.modelVersion)), ("NSStoreType", .text("SQLite")),
      ("NSPersistenceFrameworkVersion", .integer(1328)), ("NSStoreModelVersionHashesVersion", .integer(3)),
      ("_NSAutoVacuumLevel", .text("2")),
    ])
    try database.insert(
      into: "Z_METADATA",
      [("Z_VERSION", .integer(1)), ("Z_UUID", .text(generator.nextUUID())), ("Z_PLIST", .blob(plist))])
    for (index, entry) in PhotosSchema.entities.split(whereSeparator: \.isWhitespace).enumerated() {
      let parts = entry.split(separator: ":")
      let maximum =
        switch parts[0] {
        case "Asset", "AdditionalAssetAttributes": plan.assets.count
        case "GenericAlbum": plan.albums.count + 1
        default: 0
        }
      try database.insert(
        into: "Z_PRIMARYKEY",
        [
          ("Z_ENT", .integer(Int64(index + 1))), ("Z_NAME", .text(String(parts[0]))),
          ("Z_SUPER", .integer(Int64(parts[1]) ?? 0)), ("Z_MAX", .integer(Int64(maximum))),
        ])
    }
  }

  private static func write(
    _ asset: PlannedAsset, _ written: WrittenAsset, _ index: Int, _ resources: inout Int64,
    into database: SampleDatabase
  ) throws(LibraryMakerError) {
    let key = Int64(index + 1)
    let taken = asset.taken - epoch
    let isShared = written.sharedAlbum != nil
    let isReferenced = if case .referenced = asset.presence { true } else { false }
    let pixels = Int64(asset.medium == .movie ? 64 : 128)
    let type =
      switch asset.medium {
      case .jpeg: "public.jpeg"
      case .png: "public.png"
      case .movie: "com.apple.quicktime-movie"
      }
    try database.insert(
      into: "ZASSET",
      [
        ("Z_PK", .integer(key)), ("Z_ENT", .integer(PhotosSchema.number(of: "Asset"))), ("Z_OPT", .integer(1)),
        ("ZUUID", .text(written.uuid)), ("ZDIRECTORY", .text(written.directory)),
        ("ZFILENAME", .text(written.filename)), ("ZKIND", .integer(asset.medium == .movie ? 1 : 0)),
        ("ZKINDSUBTYPE", .integer(asset.hasLiveVideo ? 2 : asset.medium == .png ? 10 : 0)),
        ("ZPLAYBACKSTYLE", .integer(asset.hasLiveVideo ? 3 : asset.medium == .movie ? 4 : 1)),
        ("ZUNIFORMTYPEIDENTIFIER", .text(type)), ("ZDATECREATED", .real(taken)), ("ZSORTTOKEN", .real(taken)),
        ("ZADDEDDATE", .real(700_000_000 + Double(index))), ("ZMODIFICATIONDATE", .real(700_000_000 + Double(index))),
        ("ZFAVORITE", flag(asset.isFavorite)), ("ZHIDDEN", flag(asset.isHidden)),
        ("ZTRASHEDSTATE", flag(asset.isTrashed)), ("ZTRASHEDDATE", asset.isTrashed ? .real(710_000_000) : .null),
        ("ZVISIBILITYSTATE", .integer(isShared ? 2 : 0)), ("ZAVALANCHEPICKTYPE", .integer(0)),
        ("ZSAVEDASSETTYPE", .integer(isShared ? 4 : isReferenced ? 10 : 3)),
        ("ZBUNDLESCOPE", .integer(isShared ? 2 : 0)), ("ZSYNDICATIONSTATE", .integer(0)),
        ("ZCLOUDBATCHPUBLISHDATE", isShared ? .real(taken + 60) : .null),
        ("ZCLOUDLOCALSTATE", .integer(0)), ("ZCLOUDPLACEHOLDERKIND", .integer(0)), ("ZCOMPLETE", .integer(1)),
        ("ZHASADJUSTMENTS", flag(asset.isEdited)),
        ("ZADJUSTMENTTIMESTAMP", asset.isEdited ? .real(taken + 3600) : .null), ("ZDEPTHTYPE", .integer(0)),
        ("ZHDRTYPE", .integer(0)), ("ZDUPLICATEASSETVISIBILITYSTATE", .integer(0)),
        ("ZACTIVELIBRARYSCOPEPARTICIPATIONSTATE", .integer(0)), ("ZLATITUDE", .real(-180)),
        ("ZLONGITUDE", .real(-180)), ("ZWIDTH", .integer(pixels)), ("ZHEIGHT", .integer(pixels)),
        ("ZORIENTATION", .integer(1)), ("ZADDITIONALATTRIBUTES", .integer(key)),
        ("ZDURATION", .real(asset.medium == .movie ? 1 : 0)),
      ])
    try database.insert(
      into: "ZADDITIONALASSETATTRIBUTES",
      [
        ("Z_PK", .integer(key)), ("Z_ENT", .integer(PhotosSchema.number(of: "AdditionalAssetAttributes"))),
        ("Z_OPT", .integer(1)), ("ZASSET", .integer(key)),
        ("ZORIGINALFILENAME", asset.name.map { .text($0) } ?? .null),
        ("ZORIGINALFILESIZE", .integer(isShared ? 0 : written.files[0].recordedSize)),
        ("ZTIMEZONEOFFSET", .integer(Int64(asset.zoneOffset))), ("ZORIGINALWIDTH", .integer(pixels)),
        ("ZORIGINALHEIGHT", .integer(pixels)), ("ZORIGINALORIENTATION", .integer(1)),
        ("ZORIGINALRESOURCECHOICE", .integer(0)), ("ZTITLE", .text("")),
      ])
    for file in written.files {
      resources += 1
      try database.insert(into: "ZINTERNALRESOURCE", resource(of: asset, file, isShared, asset: key, resources))
    }
  }

  private static func resource(
    of asset: PlannedAsset, _ file: WrittenAsset.File, _ isShared: Bool, asset key: Int64, _ number: Int64
  ) -> Row {
    let isVideo = asset.medium == .movie
    let code: (type: Int64, subtype: Int64, version: Int64, recipe: Int64) =
      switch file.listed.kind {
      case .original where isShared: (isVideo ? 1 : 0, isVideo ? 8 : 3, 0, 0)
      case .original: (isVideo ? 1 : 0, 1, 0, 0)
      case .liveVideo: (3, 18, 0, 0)
      case .raw: (4, 17, 0, 0)
      case .edited: (0, 2, 2, 65938)
      }
    return [
      ("Z_PK", .integer(number)), ("Z_ENT", .integer(PhotosSchema.number(of: "InternalResource"))),
      ("Z_OPT", .integer(1)), ("ZASSET", .integer(key)), ("ZRESOURCETYPE", .integer(code.type)),
      ("ZDATASTORESUBTYPE", .integer(code.subtype)), ("ZDATASTORECLASSID", .integer(isShared ? 2 : 0)),
      ("ZVERSION", .integer(code.version)), ("ZRECIPEID", .integer(code.recipe)),
      ("ZDATALENGTH", .integer(file.recordedSize)), ("ZLOCALAVAILABILITY", .integer(file.availability.local)),
      ("ZREMOTEAVAILABILITY", .integer(file.availability.remote)), ("ZTRASHEDSTATE", .integer(0)),
    ]
  }

  private static func writeKeywords(
    _ plan: LibraryPlan, using generator: inout SeededGenerator, into database: SampleDatabase
  ) throws(LibraryMakerError) {
    let all = Set(plan.assets.flatMap(\.keywords)).sorted()
    for (index, keyword) in all.enumerated() {
      try database.insert(
        into: "ZKEYWORD",
        [
          ("Z_PK", .integer(Int64(index + 1))), ("Z_ENT", .integer(PhotosSchema.number(of: "Keyword"))),
          ("Z_OPT", .integer(1)), ("ZTITLE", .text(keyword)), ("ZUUID", .text(generator.nextUUID())),
        ])
    }
    for (asset, planned) in plan.assets.enumerated() {
      for keyword in Set(planned.keywords).sorted() {
        guard let index = all.firstIndex(of: keyword) else { continue }
        try database.insert(
          into: "Z_1KEYWORDS",
          [
            ("Z_1ASSETATTRIBUTES", .integer(Int64(asset + 1))), ("Z_40KEYWORDS", .integer(Int64(index + 1))),
          ])
      }
    }
  }

  private static func writeAlbums(
    _ plan: LibraryPlan, _ assets: [WrittenAsset], albumIDs: [String], using generator: inout SeededGenerator,
    into database: SampleDatabase
  ) throws(LibraryMakerError) {
    let folder = PhotosSchema.number(of: "Folder")
    try database.insert(
      into: "ZGENERICALBUM",
      [
        ("Z_PK", .integer(1)), ("Z_ENT", .integer(folder)), ("Z_OPT", .integer(1)), ("ZKIND", .integer(3999)),
        ("ZUUID", .text(generator.nextUUID())), ("ZTRASHEDSTATE", .integer(0)), ("ZCREATIONDATE", .real(0)),
      ])
    let table = "Z_\(plan.membershipEntity)ASSETS"
    for (index, album) in plan.albums.enumerated() {
      let key = Int64(index + 2)
      let entity: (number: Int64, kind: Int64) =
        switch album.kind {
        case .folder: (folder, 4000)
        case .album: (PhotosSchema.number(of: "Album"), 2)
        case .shared: (PhotosSchema.number(of: "CloudSharedAlbum"), 1505)
        }
      let counted = album.members.filter { !plan.assets[$0].isTrashed }
      let videos = counted.count { plan.assets[$0].medium == .movie }
      try database.insert(
        into: "ZGENERICALBUM",
        [
          ("Z_PK", .integer(key)), ("Z_ENT", .integer(entity.number)), ("Z_OPT", .integer(1)),
          ("ZKIND", .integer(entity.kind)), ("ZUUID", .text(albumIDs[index])),
          ("ZTITLE", album.title.map { .text($0) } ?? .null),
          ("ZPARENTFOLDER", album.kind == .shared ? .null : .integer(Int64((album.parent ?? -1) + 2))),
          ("Z_FOK_PARENTFOLDER", album.kind == .shared ? .null : .integer(key * 1024)),
          ("ZCUSTOMSORTKEY", .integer(album.order == .manual ? 0 : 1)),
          ("ZCUSTOMSORTASCENDING", .integer(album.order == .newestFirst ? 0 : 1)), ("ZTRASHEDSTATE", .integer(0)),
          ("ZCACHEDCOUNT", .integer(Int64(counted.count))),
          ("ZCACHEDPHOTOSCOUNT", .integer(Int64(counted.count - videos))),
          ("ZCACHEDVIDEOSCOUNT", .integer(Int64(videos))), ("ZCREATIONDATE", .real(700_000_000 + Double(index))),
        ])
      for (position, member) in album.members.enumerated() {
        try database.insert(
          into: table,
          [
            ("Z_\(plan.membershipEntity)ALBUMS", .integer(key)), ("Z_3ASSETS", .integer(Int64(member + 1))),
            ("Z_FOK_3ASSETS", .integer(Int64(position + 1) * 1024)),
          ])
      }
    }
  }

  private static func flag(_ value: Bool) -> SampleDatabase.Value { .integer(value ? 1 : 0) }

  /// Seconds from 1970 to 2001, where Core Data's dates begin.
  private static let epoch = 978_307_200.0
}
