#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What was written for one planned asset.
struct WrittenAsset {
  struct File {
    let listed: LibraryManifest.File
    let recordedSize: Int64
    /// Recorded as (local, remote) availability.
    let availability: (local: Int64, remote: Int64)
  }

  let uuid: String
  /// ZDIRECTORY and ZFILENAME.
  let directory: String
  let filename: String
  /// The album's UUID when the asset lives in a shared album.
  let sharedAlbum: String?
  let files: [File]
}

/// Writes the files of assets into the bundle, where Photos has them.
struct AssetFiles {
  let bundle: String
  let plan: LibraryPlan
  var generator: SeededGenerator
  private var made: Set<String> = []

  init(bundle: String, plan: LibraryPlan, generator: SeededGenerator) {
    self.bundle = bundle
    self.plan = plan
    self.generator = generator
  }

  /// Writes all files of an asset.
  mutating func write(
    _ asset: PlannedAsset, number: Int, sharedAlbum: String?
  ) throws(LibraryMakerError) -> WrittenAsset {
    let uuid = generator.nextUUID()
    let digit = String(uuid.prefix(1))
    let suffix =
      switch asset.medium {
      case .jpeg: "jpeg"
      case .png: "png"
      case .movie: sharedAlbum == nil ? "mov" : "MP4"
      }
    var directory = digit
    var filename = "\(uuid).\(suffix)"
    var folder = "originals/" + digit
    var name = filename
    if let sharedAlbum {
      directory = "1/" + sharedAlbum
      folder = "scopes/cloudsharing/data/" + directory
      if asset.medium == .movie {
        name = uuid + ".medium.MP4"
      } else {
        filename = uuid + ".JPG"
        name = filename
      }
    }
    if case .referenced(let outside) = asset.presence {
      directory = outside
      filename = asset.name ?? filename
    }

    var files: [WrittenAsset.File] = []
    if let recorded = asset.recordedPath {
      directory = recorded.directory
      filename = recorded.filename
      files.append(absent(.original, asset))
    } else if case .referenced(let outside) = asset.presence {
      let bytes = try put(contents(of: asset, number), asset, folder: outside, name: filename, isOutside: true)
      // It has no path below the bundle, which is all that the manifest tells.
      let listed = LibraryManifest.File(kind: .original, path: nil, bytes: bytes)
      files.append(WrittenAsset.File(listed: listed, recordedSize: asset.recordedSize ?? bytes, availability: (1, 0)))
    } else if case .local = asset.presence {
      let bytes = try put(contents(of: asset, number), asset, folder: folder, name: name)
      files.append(present(.original, folder + "/" + name, bytes, recorded: asset.recordedSize))
    } else {
      files.append(absent(.original, asset))
    }
    try writePartners(of: asset, number, uuid: uuid, digit: digit, into: &files)
    return WrittenAsset(uuid: uuid, directory: directory, filename: filename, sharedAlbum: sharedAlbum, files: files)
  }

  private mutating func writePartners(
    of asset: PlannedAsset, _ number: Int, uuid: String, digit: String, into files: inout [WrittenAsset.File]
  ) throws(LibraryMakerError) {
    let partner = PlannedAsset(nil, taken: asset.taken)
    if asset.hasLiveVideo {
      let bytes = MovieFile.bytes(comment: "live \(number)", using: &generator)
      let size = try put(bytes, partner, folder: "originals/" + digit, name: uuid + "_3.mov")
      files.append(present(.liveVideo, "originals/\(digit)/\(uuid)_3.mov", size))
    }
    if asset.hasRaw {
      let bytes = DNGFile.bytes(side: plan.pictureBlocks * 8, comment: "raw \(number)", using: &generator)
      let size = try put(bytes, partner, folder: "originals/" + digit, name: uuid + "_4.dng")
      files.append(present(.raw, "originals/\(digit)/\(uuid)_4.dng", size))
    }
    if asset.isEdited {
      let bytes = JPEGFile.bytes(
        columns: plan.pictureBlocks, rows: plan.pictureBlocks, comment: "edit of \(number)", using: &generator)
      let size = try put(bytes, partner, folder: "resources/renders/" + digit, name: uuid + "_1_201_a.jpeg")
      files.append(present(.edited, "resources/renders/\(digit)/\(uuid)_1_201_a.jpeg", size))
    }
  }

  private mutating func contents(of asset: PlannedAsset, _ number: Int) -> [UInt8] {
    let comment = "sample \(plan.seed) \(number)"
    let blocks = plan.pictureBlocks
    return switch asset.medium {
    case .jpeg: JPEGFile.bytes(columns: blocks, rows: blocks, comment: comment, using: &generator)
    case .png: PNGFile.bytes(side: blocks * 8, comment: comment, using: &generator)
    case .movie: MovieFile.bytes(comment: comment, using: &generator)
    }
  }

  private mutating func put(
    _ bytes: [UInt8], _ asset: PlannedAsset, folder: String, name: String, isOutside: Bool = false
  ) throws(LibraryMakerError) -> Int64 {
    let folder = isOutside ? folder : bundle + "/" + folder
    if isOutside {
      guard access(folder, W_OK) == 0 else { return max(asset.size, Int64(bytes.count)) }
    } else if made.insert(folder).inserted {
      try FileWriting.makeFolder(folder)
    }
    var filler = max(0, asset.size - Int64(bytes.count))
    var bytes = bytes
    if asset.medium == .movie, filler > 0 {
      // Whole boxes only, so the filler has one of its own.
      filler = max(filler, 16)
      bytes += MovieFile.fillerHead(size: filler)
      filler -= 16
    }
    try FileWriting.write(
      bytes, filler: filler, sparse: asset.isSparse, to: folder + "/" + name, modified: asset.taken, using: &generator)
    return Int64(bytes.count) + filler
  }

  private func present(
    _ kind: LibraryManifest.File.Kind, _ path: String, _ bytes: Int64, recorded: Int64? = nil
  ) -> WrittenAsset.File {
    WrittenAsset.File(
      listed: LibraryManifest.File(kind: kind, path: path, bytes: bytes), recordedSize: recorded ?? bytes,
      availability: (1, 0))
  }

  private func absent(_ kind: LibraryManifest.File.Kind, _ asset: PlannedAsset) -> WrittenAsset.File {
    let size = asset.recordedSize ?? asset.size
    let isInCloud = if case .cloudOnly = asset.presence { true } else { false }
    return WrittenAsset.File(
      listed: LibraryManifest.File(kind: kind, path: nil, bytes: size), recordedSize: size,
      availability: isInCloud ? (-1, 1) : (1, 0))
  }
}
