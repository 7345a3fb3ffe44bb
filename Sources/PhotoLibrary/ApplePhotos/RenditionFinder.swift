import Platform

/// Works out which files an asset has and where they are (see the sources of each path rule below). Looks at the disk
/// where the database does not tell: the format of a RAW, the format of an edit.
struct RenditionFinder: Sendable {
  let folder: LibraryFolder
  let keepsSharedAlbumsInScopes: Bool

  /// The asset with its files.
  func asset(_ row: AssetRow, _ resources: [ResourceRow]) -> Asset {
    let place = Place(row)
    func resource(_ role: ResourceRow.Role) -> ResourceRow? { resources.first { $0.role == role } }
    var renditions = [original(row, place, resource(.original) ?? resource(.sharedOriginal))]
    if let live = liveVideo(row, place, resource(.liveVideo)) { renditions.append(live) }
    if let raw = resource(.raw) { renditions.append(self.raw(row, place, raw)) }
    // Renders are named by the asset's identifier, those of referenced originals too.
    if row.adjustment != 0, let stem = row.uuid.flatMap({ FileName($0) })?.bytes {
      let edit = row.isVideo ? resource(.editedVideo) : resource(.editedStill)
      if let edited = edited(row, stem, edit) { renditions.append(edited) }
      if !row.isVideo, let live = resource(.editedLiveVideo) {
        let path = renders(stem, "_2_100_a.mov")
        renditions.append(rendition(.editedLiveVideo, "mov", .bundle([path].compactMap(\.self)), live))
      }
    }
    let fileName = row.fileName.map { String(decoding: $0, as: UTF8.self) }
    let name = [row.originalName, fileName, row.uuid].lazy.compactMap(\.self).first { !$0.isEmpty }
    return Asset(
      id: AssetID(row.uuid.flatMap { $0.isEmpty ? nil : $0 } ?? "asset-\(row.number)"), number: row.number,
      kind: row.isVideo ? .video : .photo, originalName: name ?? "asset-\(row.number)", taken: row.taken,
      zoneOffset: row.zoneOffset, added: row.added, isFavorite: row.isFavorite, isHidden: row.isHidden,
      renditions: renditions)
  }

  // MARK: - Kinds of files

  private func original(_ row: AssetRow, _ place: Place?, _ resource: ResourceRow?) -> Rendition {
    let shown = [row.originalName, row.fileName.map { String(decoding: $0, as: UTF8.self) }]
      .lazy.compactMap(\.self).map(fileExtension).first { !$0.isEmpty }
    return Rendition(
      kind: .original, fileExtension: shown ?? "", location: originalLocation(row, place),
      recordedSize: row.originalSize > 0 ? row.originalSize : resource?.size ?? 0,
      availability: resource?.availability ?? .lost)
  }

  private func originalLocation(_ row: AssetRow, _ place: Place?) -> Rendition.Location {
    if row.isReferenced { return Self.referencedOriginal(row) }
    guard let place else { return .nowhere }
    guard row.isShared else { return .bundle(own(place, place.name)) }
    // Of a shared video a smaller form is kept, under another name.
    let medium = place.named(place.stem + Array(".medium.MP4".utf8))
    return .bundle(shared(place, row.isVideo ? [medium, place.name].compactMap(\.self) : [place.name]))
  }

  /// An own Live Photo: `STEM_3.mov` beside the original. In a shared album, as others report: `STEM.MOV`; and where
  /// no row tells of a movie, only one that is there is shown.
  private func liveVideo(_ row: AssetRow, _ place: Place?, _ resource: ResourceRow?) -> Rendition? {
    guard !row.isVideo else { return nil }
    if row.isReferenced { return resource.map { rendition(.liveVideo, "mov", Self.referencedPartner(row, $0), $0) } }
    guard let place, resource != nil || row.isLive else { return nil }
    let suffix = row.isShared ? ".MOV" : "_3.mov"
    let name = [place.named(place.stem + Array(suffix.utf8))].compactMap(\.self)
    let paths = row.isShared ? shared(place, name) : name.flatMap { own(place, $0) }
    if let resource { return rendition(.liveVideo, "mov", .bundle(paths), resource) }
    return folder.firstFile(of: paths).map { found in
      Rendition(
        kind: .liveVideo, fileExtension: "mov", location: .bundle([found]), recordedSize: 0, availability: .local)
    }
  }

  /// `STEM_4.EXT` beside the JPEG; the extension is recorded as a type or seen on the disk.
  private func raw(_ row: AssetRow, _ place: Place?, _ resource: ResourceRow) -> Rendition {
    let hint = RawFormat.fileExtension(typeIdentifier: resource.typeIdentifier, compactType: resource.compactType)
    if row.isReferenced {
      let recorded = resource.bookmark.map(fileExtension) ?? ""
      let shown = recorded.isEmpty ? hint ?? "raw" : recorded
      return rendition(.raw, shown.uppercased(), Self.referencedPartner(row, resource), resource)
    }
    guard let place else { return rendition(.raw, (hint ?? "raw").uppercased(), .nowhere, resource) }
    let formats = [hint].compactMap(\.self) + RawFormat.extensions.filter { $0 != hint }
    let paths = formats.flatMap { format in
      place.named(place.stem + Array("_4.\(format)".utf8)).map { own(place, $0) } ?? []
    }
    if let found = folder.firstFile(of: paths) {
      return rendition(.raw, fileExtension(found).uppercased(), .bundle([found]), resource)
    }
    let likely = hint == nil ? paths : Array(paths.prefix(1))
    return rendition(.raw, (hint ?? "raw").uppercased(), .bundle(likely), resource)
  }

  /// The current version: a still in the format of the asset's current type or in the other one; a movie. A slow-motion
  /// edit has none. Without a row only one that is there is shown.
  private func edited(_ row: AssetRow, _ stem: [UInt8], _ resource: ResourceRow?) -> Rendition? {
    guard resource != nil || row.adjustment != 3 else { return nil }
    let suffixes: [String]
    if row.isVideo {
      suffixes = ["_2_0_a.mov"]
    } else {
      let formats = ["_1_201_a.heic", "_1_201_a.jpeg"]
      suffixes = row.typeIdentifier == "public.heic" ? formats : formats.reversed()
    }
    let paths = suffixes.compactMap { renders(stem, $0) }
    let found = folder.firstFile(of: paths)
    guard resource != nil || found != nil else { return nil }
    let location = found ?? paths.first
    return Rendition(
      kind: .edited, fileExtension: location.map(fileExtension) ?? "",
      location: .bundle(found.map { [$0] } ?? paths), recordedSize: resource?.size ?? 0,
      availability: resource?.availability ?? .local)
  }

  private func rendition(
    _ kind: Rendition.Kind, _ fileExtension: String, _ location: Rendition.Location, _ resource: ResourceRow
  ) -> Rendition {
    Rendition(
      kind: kind, fileExtension: fileExtension, location: location, recordedSize: resource.size,
      availability: resource.availability)
  }

  private func fileExtension(_ name: String) -> String { String(PortableName.split(name).suffix.dropFirst()) }

  private func fileExtension(_ path: RelativePath) -> String {
    path.name.map { fileExtension(String(decoding: $0.bytes, as: UTF8.self)) } ?? ""
  }

  // MARK: - Places

  /// The folders of a bundle.
  private enum Names {
    static let originals: FileName = FileName("originals")
    static let resources: FileName = FileName("resources")
    static let renders: FileName = FileName("renders")
    static let scopes: FileName = FileName("scopes")
    static let momentShared: FileName = FileName("momentshared")
    static let syndication: FileName = FileName("syndication")
    static let cloudSharing: FileName = FileName("cloudsharing")
    static let data: FileName = FileName("data")
  }

  /// The recorded folder and file of an asset, when they are valid relative names.
  private struct Place {
    let directory: RelativePath
    let name: FileName
    let stem: [UInt8]
    let scope: Int64

    init?(_ row: AssetRow) {
      guard let name = row.fileName.flatMap({ FileName(bytes: $0) }),
        let directory = row.directory.flatMap({ RelativePath(bytes: $0) })
      else { return nil }
      self.directory = directory
      self.name = name
      scope = row.scope
      let dot = name.bytes.lastIndex(of: UInt8(ascii: "."))
      stem = dot.map { $0 > 0 ? Array(name.bytes[..<$0]) : name.bytes } ?? name.bytes
    }

    func named(_ bytes: [UInt8]) -> FileName? { FileName(bytes: bytes) }
  }

  /// `originals/DIRECTORY/NAME`; for what came through a message or a moment also that scope's folder.
  private func own(_ place: Place, _ name: FileName) -> [RelativePath] {
    var paths = [RelativePath([Names.originals] + place.directory.components + [name])]
    guard place.scope != 0, let first = place.stem.first, let digit = FileName(bytes: [first]) else { return paths }
    for scope in [Names.momentShared, Names.syndication] {
      paths.append(RelativePath([Names.scopes, scope, Names.originals, digit, name]))
    }
    return paths
  }

  /// `scopes/cloudsharing/data/…` from Photos 8 on, `resources/cloudsharing/data/…` before; the other one as well, since
  /// upgraded libraries have both.
  private func shared(_ place: Place, _ names: [FileName]) -> [RelativePath] {
    let tops = [Names.scopes, Names.resources]
    return (keepsSharedAlbumsInScopes ? tops : tops.reversed()).flatMap { top in
      names.map {
        RelativePath([top, Names.cloudSharing, Names.data] + place.directory.components + [$0])
      }
    }
  }

  /// `resources/renders/FIRST/UUID` + suffix.
  private func renders(_ stem: [UInt8], _ suffix: String) -> RelativePath? {
    guard let first = stem.first, let digit = FileName(bytes: [first]),
      let name = FileName(bytes: stem + Array(suffix.utf8))
    else { return nil }
    return RelativePath([Names.resources, Names.renders, digit, name])
  }

  /// The folder of a referenced original is recorded absolute.
  private static func referencedOriginal(_ row: AssetRow) -> Rendition.Location {
    guard let directory = row.directory, directory.first == UInt8(ascii: "/"),
      let name = row.fileName.flatMap({ FileName(bytes: $0) })
    else { return .nowhere }
    let separator = directory.last == UInt8(ascii: "/") ? "" : "/"
    return .referenced(
      String(decoding: directory, as: UTF8.self) + separator + String(decoding: name.bytes, as: UTF8.self))
  }

  /// Partners of a referenced original have bookmarks of their own, relative to a volume; the original's folder tells
  /// whether that is the one the Mac started from.
  private static func referencedPartner(_ row: AssetRow, _ resource: ResourceRow) -> Rendition.Location {
    guard let bookmark = resource.bookmark, !bookmark.isEmpty, let directory = row.directory else { return .nowhere }
    let isOnVolume = directory.starts(with: "/Volumes/".utf8)
    if isOnVolume, let volume = resource.volume, !volume.isEmpty {
      return .referenced("/Volumes/\(volume)/\(bookmark)")
    }
    return isOnVolume ? .nowhere : .referenced("/\(bookmark)")
  }
}
