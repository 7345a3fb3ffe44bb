import PhotoLibrary
import Platform

/// All photos of the library in one pass: the whole, by month, the favourites.
final class MainView: Sendable {
  struct Content: Sendable {
    let all: FolderListing
    let favorites: FolderListing
    let undated: FolderListing
    /// Year, then month (1 to 12).
    let years: [Int: [Int: FolderListing]]
  }

  /// Stands for the year of what has no date.
  static let undated = 0

  private static let page = 500
  private let snapshot: any Snapshot
  private let assetsSeen: AssetTable
  private let content = OnceCell<Content>()

  init(_ snapshot: any Snapshot, _ assetsSeen: AssetTable) {
    self.snapshot = snapshot
    self.assetsSeen = assetsSeen
  }

  func value() throws(Errno) -> Content {
    try content.value { () throws(Errno) in
      try reading { () throws(LibraryError) in try load() }
    }
  }

  private func load() throws(LibraryError) -> Content {
    var assets: [Asset] = []
    var last: Int64 = 0
    while true {
      let page = try snapshot.assets(after: last, limit: Self.page)
      guard let end = page.last, end.number > last else { break }
      last = end.number
      assets += assetsSeen.remember(page)
    }
    var dated: [Int: [Int: [Asset]]] = [:]
    for asset in assets {
      guard let taken = asset.taken else { continue }
      let day = CivilDate(taken, zoneOffset: asset.zoneOffset)
      dated[day.year, default: [:]][day.month, default: []].append(asset)
    }
    return Content(
      all: FolderListing(naming: assets),
      favorites: FolderListing(naming: assets.filter(\.isFavorite)),
      undated: FolderListing(naming: assets.filter { $0.taken == nil }),
      years: dated.mapValues { $0.mapValues { FolderListing(naming: $0) } })
  }

  static func name(ofYear year: Int) -> FileName { FileName(padded(year, to: 4)) ?? FileName("Undated") }

  static func name(ofMonth month: Int, in year: Int) -> FileName {
    FileName(padded(year, to: 4) + "-" + padded(month, to: 2)) ?? FileName("Undated")
  }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
