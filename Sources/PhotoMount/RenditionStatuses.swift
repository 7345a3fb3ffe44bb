import Fuse
import PhotoLibrary
import Platform
import Synchronization

/// What the disk says of each rendition that somebody looked at, asked once. The library's own record of sizes is wrong
/// often enough to cut copies short.
final class RenditionStatuses: Sendable {
  struct Known: Hashable, Sendable {
    let asset: AssetID
    let taken: Timestamp
    /// Of the file; as recorded when there is none.
    var size: Int64
    /// Identity of the file's content, `nil` when it is not here.
    var version: Version?
  }

  /// Changes whenever the bytes may have.
  struct Version: Hashable, Sendable {
    let inode: UInt64
    let size: Int64
    let modified: Timestamp
    let changed: Timestamp

    init(_ status: FileStatus) {
      inode = status.inode
      size = status.size
      modified = status.modified
      changed = status.changed
    }
  }

  private struct Key: Hashable {
    let asset: Int64
    let kind: Rendition.Kind
  }

  private let snapshot: any Snapshot
  private let assetsSeen: AssetTable
  private let known = Mutex<[Key: Known]>([:])

  init(_ snapshot: any Snapshot, _ assetsSeen: AssetTable) {
    self.snapshot = snapshot
    self.assetsSeen = assetsSeen
  }

  /// Asks the disk the first time. Blocks nobody else meanwhile.
  func status(asset number: Int64, _ kind: Rendition.Kind) throws(Errno) -> Known {
    let key = Key(asset: number, kind: kind)
    if let found = known.withLock({ $0[key] }) { return found }
    let (asset, rendition) = try find(number, kind)
    var result = Known(
      asset: asset.id, taken: asset.shownTime, size: max(rendition.recordedSize, 0), version: nil)
    do throws(LibraryError) {
      let status = try snapshot.status(of: rendition)
      result.size = status.size
      result.version = Version(status)
    } catch .notHere {
      // Listed all the same, with its recorded size: hiding it would let a mirror delete the only copy.
    } catch {
      throw error.errno
    }
    return known.withLock { table in
      if let first = table[key] { return first }
      table[key] = result
      return result
    }
  }

  /// Opens the file for reading.
  /// - Returns: the descriptor, and how it compares with what was known before.
  func open(asset number: Int64, _ kind: Rendition.Kind) throws(Errno) -> (OriginalFile, OpenedAs) {
    let (asset, rendition) = try find(number, kind)
    let descriptor = try reading { () throws(LibraryError) in try snapshot.open(rendition) }
    let version = Version(try descriptor.status())
    let key = Key(asset: number, kind: kind)
    let before = known.withLock { table in
      let before = table[key]
      table[key] = Known(asset: asset.id, taken: asset.shownTime, size: version.size, version: version)
      return before
    }
    let opened: OpenedAs = before == nil ? .new : before?.version == version ? .unchanged : .changed
    return (OriginalFile(descriptor), opened)
  }

  enum OpenedAs { case new, unchanged, changed }

  private func find(_ number: Int64, _ kind: Rendition.Kind) throws(Errno) -> (Asset, Rendition) {
    guard let asset = try assetsSeen.asset(number), let rendition = asset.renditions.first(where: { $0.kind == kind })
    else { throw .noSuchFile }
    return (asset, rendition)
  }
}

extension Asset {
  /// st_mtime: when it was taken, else when it was added, else 1970; within what ext4 can hold (1901 to 2446), so that a
  /// copy keeps it and is not taken for changed for ever.
  var shownTime: Timestamp {
    let time = taken ?? added ?? Timestamp(seconds: 0)
    return min(max(time, Timestamp(seconds: -1 << 31)), Timestamp(seconds: 15_032_385_535))
  }
}
