import Fuse
import PhotoLibrary
import Platform

/// The read-only part of the mount: answers for folders of views and for originals.
final class LibraryPart: Sendable {
  private let views: LibraryViews
  private let statuses: RenditionStatuses
  private let settings: MountSettings
  private let started = Timestamp.now
  private let topPermissions: UInt32

  /// - Parameter hasWritableTop: something may be made at the top, the drive's trash; who may is checked by the kernel.
  init(_ snapshot: any Snapshot, _ settings: MountSettings, hasWritableTop: Bool) {
    let assetsSeen = AssetTable(snapshot)
    views = LibraryViews(snapshot, assetsSeen)
    statuses = RenditionStatuses(snapshot, assetsSeen)
    self.settings = settings
    topPermissions = hasWritableTop ? 0o755 : 0o555
  }

  func lookup(_ name: FileName, in folder: NodeNumber) throws(Errno) -> Entry {
    try entry(for: try views.find(name, in: folder))
  }

  func entry(for node: NodeNumber) throws(Errno) -> Entry {
    Entry(
      attributes: try attributes(of: node), entryTimeout: MountSettings.libraryTimeout,
      attributeTimeout: MountSettings.libraryTimeout)
  }

  func attributes(of node: NodeNumber) throws(Errno) -> FileAttributes {
    switch node {
    case .file(let asset, let kind):
      let status = try statuses.status(asset: asset, kind)
      return FileAttributes(
        inode: node.inode, kind: .file, permissions: 0o444 & ~settings.umask, size: status.size, time: status.taken,
        userID: settings.userID, groupID: settings.groupID)
    default:
      guard try views.contains(node) else { throw .noSuchFile }
      return FileAttributes(
        inode: node.inode, kind: .directory, permissions: permissions(of: node), time: time(of: node),
        userID: settings.userID, groupID: settings.groupID)
    }
  }

  private func permissions(of folder: NodeNumber) -> UInt32 {
    (folder == .fixed(.root) ? topPermissions : 0o555) & ~settings.umask
  }

  private func time(of folder: NodeNumber) -> Timestamp {
    if case .album(let number) = folder, let created = views.node(number)?.album.created { return created }
    return started
  }

  /// - Returns: the file, and whether its attributes have to be told to the kernel again.
  func open(_ node: NodeNumber) throws(Errno) -> (OpenedFile, isChanged: Bool) {
    guard case .file(let asset, let kind) = node else { throw .isDirectory }
    let (file, opened) = try statuses.open(asset: asset, kind)
    return (OpenedFile(file, keepsCache: opened == .unchanged), isChanged: opened == .changed)
  }

  /// - Parameter more: what stands beside the views at the top.
  func openDirectory(_ node: NodeNumber, more: [LibraryViews.Item]) throws(Errno) -> OpenedDirectory {
    let items = try views.items(in: node)
    let own = node == .fixed(.root) ? items + more : items
    let inodes = (own: node.inode, parent: views.parent(of: node).inode)
    return OpenedDirectory(LibraryDirectory(self, inodes, own), isCached: true)
  }

  /// The identity that the library gives to an asset or album.
  func uuid(of node: NodeNumber) throws(Errno) -> String? {
    switch node {
    case .file(let asset, let kind): try statuses.status(asset: asset, kind).asset.text
    case .album(let number): views.node(number)?.album.id.text
    default: nil
    }
  }
}

/// An open folder of a view.
final class LibraryDirectory: DirectoryHandle {
  let ownInodes: (own: InodeNumber, parent: InodeNumber)
  private let part: LibraryPart
  private let items: [LibraryViews.Item]

  init(_ part: LibraryPart, _ inodes: (own: InodeNumber, parent: InodeNumber), _ items: [LibraryViews.Item]) {
    self.part = part
    ownInodes = inodes
    self.items = items
  }

  var count: Int { items.count }

  func item(at index: Int) -> (name: FileName, inode: InodeNumber, kind: FileStatus.Kind) {
    (items[index].name, items[index].node.inode, items[index].kind)
  }

  func entry(at index: Int, _ request: Request) -> Entry? {
    // The drive's folders are looked up on their own: their entries are counted.
    if case .backup = items[index].node { return nil }
    // An entry that cannot be asked is listed all the same; the error comes to whoever stats it.
    return try? part.entry(for: items[index].node)
  }
}
