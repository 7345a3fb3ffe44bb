import PhotoLibrary
import Platform
import Synchronization

/// The records of assets that some listing showed, so that a stat of each does not ask the database again.
final class AssetTable: Sendable {
  private let snapshot: any Snapshot
  private let assets = Mutex<[Int64: Asset]>([:])

  init(_ snapshot: any Snapshot) { self.snapshot = snapshot }

  /// Keeps the records and returns those that can be shown.
  func remember(_ list: [Asset]) -> [Asset] {
    let shown = list.filter { (1..<NodeNumber.assetLimit).contains($0.number) }
    assets.withLock { table in
      for asset in shown { table[asset.number] = asset }
    }
    return shown
  }

  /// The record; `nil` when there is no such asset.
  func asset(_ number: Int64) throws(Errno) -> Asset? {
    if let found = assets.withLock({ $0[number] }) { return found }
    let found = try reading { () throws(LibraryError) in try snapshot.asset(number: number) }
    return found.flatMap { remember([$0]).first }
  }
}
