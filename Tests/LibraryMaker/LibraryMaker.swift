#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes a plan as an Apple Photos bundle of Photos 8: database, originals, renders and shared files.
public enum LibraryMaker {
  /// Writes the bundle. Nothing may be at `path` yet, or an empty folder.
  /// - Returns: what was written, for comparing with what a reader finds.
  @discardableResult
  public static func write(_ plan: LibraryPlan, to path: String) throws(LibraryMakerError) -> LibraryManifest {
    let database = path + "/database/Photos.sqlite"
    guard access(database, F_OK) != 0 else { throw LibraryMakerError("\(path) holds a library already") }
    for folder in ["database", "originals", "resources/renders", "private"] {
      try FileWriting.makeFolder(path + "/" + folder)
    }
    var generator = SeededGenerator(seed: plan.seed)
    try FileWriting.write(
      Array(dataModelVersion.utf8), to: path + "/database/DataModelVersion.plist", using: &generator)

    let albumIDs = plan.albums.map { _ in generator.nextUUID() }
    var sharing: [Int: String] = [:]
    for (index, album) in plan.albums.enumerated() where album.kind == .shared {
      for member in album.members { sharing[member] = albumIDs[index] }
    }
    var files = AssetFiles(bundle: path, plan: plan, generator: generator)
    var assets: [WrittenAsset] = []
    assets.reserveCapacity(plan.assets.count)
    for (index, asset) in plan.assets.enumerated() {
      assets.append(try files.write(asset, number: index + 1, sharedAlbum: sharing[index]))
    }
    try DatabaseWriting.write(plan, assets, albumIDs: albumIDs, to: database)
    return manifest(of: plan, assets, albumIDs: albumIDs, path: path)
  }

  private static func manifest(
    of plan: LibraryPlan, _ assets: [WrittenAsset], albumIDs: [String], path: String
  ) -> LibraryManifest {
    let listed = zip(plan.assets, assets).map { planned, written in
      LibraryManifest.Asset(
        uuid: written.uuid, originalName: planned.name, taken: planned.taken, files: written.files.map(\.listed),
        isFavorite: planned.isFavorite, isHidden: planned.isHidden, isTrashed: planned.isTrashed,
        isShared: written.sharedAlbum != nil)
    }
    var albums: [LibraryManifest.Album] = []
    for (index, album) in plan.albums.enumerated() where album.kind != .folder {
      var titles = [album.title]
      var parent = album.parent
      while let folder = parent {
        titles.insert(plan.albums[folder].title, at: 0)
        parent = plan.albums[folder].parent
      }
      albums.append(
        LibraryManifest.Album(
          uuid: albumIDs[index], path: titles, isShared: album.kind == .shared,
          members: ordered(album.members, by: album.order, in: plan)))
    }
    return LibraryManifest(path: path, assets: listed, albums: albums)
  }

  private static func ordered(_ members: [Int], by order: PlannedAlbum.Order, in plan: LibraryPlan) -> [Int] {
    switch order {
    case .manual: members
    case .oldestFirst: members.sorted { plan.assets[$0].taken < plan.assets[$1].taken }
    case .newestFirst: members.sorted { plan.assets[$0].taken > plan.assets[$1].taken }
    }
  }

  private static let dataModelVersion = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>LibrarySchemaVersion</key>
    \t<integer>5001</integer>
    \t<key>MetaSchemaVersion</key>
    \t<integer>3</integer>
    </dict>
    </plist>

    """
}
