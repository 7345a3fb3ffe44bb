import Platform

/// The files of one folder of a view: names and what is behind them, in the library's order.
public struct FolderListing: Sendable {
  /// One file.
  public struct File: Hashable, Sendable {
    /// The name in this folder.
    public let name: FileName
    /// `Asset.number`.
    public let asset: Int64
    /// Which file of the asset.
    public let rendition: Rendition.Kind
  }

  /// All files; those of one asset stand together.
  public let files: [File]
  private let positions: [FileName: Int]

  /// Names the files of `assets`, given in the order in which they are to be listed. An asset that comes twice is listed
  /// once.
  public init(naming assets: [Asset]) {
    var order = Array(assets.indices)
    order.sort { assets[$0].precedes(assets[$1]) }
    var names = FolderNames()
    var named: [Int: [FileName]] = [:]
    named.reserveCapacity(assets.count)
    var seen: Set<Int64> = []
    for index in order where seen.insert(assets[index].number).inserted {
      named[index] = assets[index].takeNames(from: &names)
    }
    var files: [File] = []
    files.reserveCapacity(assets.count)
    for (index, asset) in assets.enumerated() {
      guard let own = named[index] else { continue }
      for (rendition, name) in zip(asset.renditions, own) {
        files.append(File(name: name, asset: asset.number, rendition: rendition.kind))
      }
    }
    self.files = files
    positions = Dictionary(zip(files.map(\.name), files.indices), uniquingKeysWith: { first, _ in first })
  }

  /// The file of that name.
  public func file(_ name: FileName) -> File? { positions[name].map { files[$0] } }
}

extension Asset {
  /// Who keeps the plain name: added earlier, then the smaller id.
  fileprivate func precedes(_ other: Asset) -> Bool {
    let (mine, theirs) = (added ?? .distantPast, other.added ?? .distantPast)
    return mine != theirs ? mine < theirs : (id != other.id ? id < other.id : number < other.number)
  }

  fileprivate func takeNames(from names: inout FolderNames) -> [FileName] {
    let (stem, ownSuffix) = PortableName.split(PortableName.portable(originalName))
    let suffixes = renditions.map { rendition -> String in
      let end = rendition.fileExtension.isEmpty ? "" : "." + PortableName.portable(rendition.fileExtension)
      return switch rendition.kind {
      case .original: ownSuffix.isEmpty ? end : ownSuffix
      case .liveVideo, .raw: end
      case .edited: " (Edited)" + end
      case .editedLiveVideo: " (Edited)" + end
      }
    }
    // `portable` and `cut` leave nothing that FileName refuses.
    return names.take(stem: stem, suffixes: distinct(suffixes), id: id.text).map {
      FileName($0) ?? FileName("Untitled")
    }
  }

  /// Two renditions with one end (a video edited into a video beside its Live movie) would never fit under one stem.
  private func distinct(_ suffixes: [String]) -> [String] {
    var taken: Set<String> = []
    return zip(suffixes, renditions).map { suffix, rendition in
      if taken.insert(PortableName.collisionKey(suffix)).inserted { return suffix }
      let (stem, end) = PortableName.split("x" + suffix)
      let marked = "\(stem.dropFirst()) (\(rendition.kind.label))\(end)"
      taken.insert(PortableName.collisionKey(marked))
      return marked
    }
  }
}

extension Rendition.Kind {
  /// Tells apart what would otherwise have one name.
  fileprivate var label: String {
    switch self {
    case .original: "Original"
    case .liveVideo: "Live"
    case .raw: "RAW"
    case .edited: "Edited"
    case .editedLiveVideo: "Edited Live"
    }
  }
}

extension Timestamp {
  /// Before all that is recorded.
  static let distantPast = Timestamp(seconds: .min)
}
