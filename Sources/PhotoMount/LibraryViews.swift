import Fuse
import PhotoLibrary
import Platform
import Synchronization

/// The folders that show the library: what is in them, by node.
///
/// Listings are made when a folder is first opened and kept: a snapshot does not change.
final class LibraryViews: Sendable {
  /// One name in a view.
  struct Item {
    let name: FileName
    let node: NodeNumber
    var kind: FileStatus.Kind {
      if case .file = node { .file } else { .directory }
    }
  }

  private let snapshot: any Snapshot
  let tree: AlbumTree
  private let members: [OnceCell<FolderListing>]
  private let mainView: MainView
  private let assetsSeen: AssetTable

  init(_ snapshot: any Snapshot, _ assetsSeen: AssetTable) {
    self.snapshot = snapshot
    self.assetsSeen = assetsSeen
    tree = AlbumTree(snapshot.albums)
    members = tree.nodes.map { _ in OnceCell() }
    mainView = MainView(snapshot, assetsSeen)
  }

  /// Finds a name without listing more than its folder.
  func find(_ name: FileName, in folder: NodeNumber) throws(Errno) -> NodeNumber {
    if let listing = try listing(of: folder) {
      guard let file = listing.file(name) else { throw .noSuchFile }
      return .file(asset: file.asset, file.rendition)
    }
    guard let item = try folders(in: folder).first(where: { $0.name == name }) else { throw .noSuchFile }
    return item.node
  }

  /// Everything in a folder, in the library's order.
  func items(in folder: NodeNumber) throws(Errno) -> [Item] {
    if let listing = try listing(of: folder) {
      return listing.files.map { Item(name: $0.name, node: .file(asset: $0.asset, $0.rendition)) }
    }
    return try folders(in: folder)
  }

  /// The folder that holds a folder, for `..`.
  func parent(of folder: NodeNumber) -> NodeNumber {
    switch folder {
    case .fixed, .backup, .file: .fixed(.root)
    case .album(let number):
      if let parent = node(number)?.parent {
        .album(UInt32(parent))
      } else {
        .fixed(node(number)?.album.kind == .sharedAlbum ? .sharedAlbums : .albums)
      }
    case .year: .fixed(.years)
    case .month(let year, _): .year(year)
    }
  }

  /// Whether there is such a folder.
  func contains(_ folder: NodeNumber) throws(Errno) -> Bool {
    switch folder {
    case .fixed: true
    case .album(let number): node(number) != nil
    case .year(let year): try mainView.value().years[year] != nil
    case .month(let year, let month): try mainView.value().years[year]?[month] != nil
    case .file, .backup: false
    }
  }

  /// The folder or album behind a number.
  func node(_ number: UInt32) -> AlbumTree.Node? {
    tree.nodes.indices.contains(Int(number)) ? tree.nodes[Int(number)] : nil
  }

  /// The files of a folder that holds files; `nil` for one that holds folders.
  private func listing(of folder: NodeNumber) throws(Errno) -> FolderListing? {
    switch folder {
    case .fixed(.allPhotos): return try mainView.value().all
    case .fixed(.favorites): return try mainView.value().favorites
    case .year(MainView.undated): return try mainView.value().undated
    case .month(let year, let month):
      guard let listing = try mainView.value().years[year]?[month] else { throw .noSuchFile }
      return listing
    case .album(let number):
      guard let node = node(number) else { throw .noSuchFile }
      guard node.album.kind != .folder else { return nil }
      return try members[Int(number)].value { () throws(Errno) in
        let assets = try reading { () throws(LibraryError) in try snapshot.members(of: node.album.id) }
        return FolderListing(naming: assetsSeen.remember(assets))
      }
    case .fixed, .year: return nil
    case .file, .backup: throw .notDirectory
    }
  }

  /// The folders in a folder that holds folders.
  private func folders(in folder: NodeNumber) throws(Errno) -> [Item] {
    func albums(_ positions: [Int]) -> [Item] {
      positions.map { Item(name: tree.nodes[$0].name, node: .album(UInt32($0))) }
    }
    switch folder {
    case .fixed(.root):
      return FixedFolder.allCases.compactMap { folder in
        guard let title = folder.title else { return nil }
        if folder == .sharedAlbums && tree.top(.shared).isEmpty { return nil }
        return Item(name: FileName(title), node: .fixed(folder))
      }
    case .fixed(.albums): return albums(tree.top(.own))
    case .fixed(.sharedAlbums): return albums(tree.top(.shared))
    case .fixed(.years):
      let view = try mainView.value()
      var items = view.years.keys.sorted().map { Item(name: MainView.name(ofYear: $0), node: .year($0)) }
      if !view.undated.files.isEmpty { items.append(Item(name: FileName("Undated"), node: .year(MainView.undated))) }
      return items
    case .year(let year):
      guard let months = try mainView.value().years[year] else { throw .noSuchFile }
      return months.keys.sorted().map {
        Item(name: MainView.name(ofMonth: $0, in: year), node: .month(year: year, month: $0))
      }
    case .album(let number):
      guard let node = node(number) else { throw .noSuchFile }
      return albums(node.children)
    default: throw .notDirectory
    }
  }
}

/// Runs a call on the library; its error becomes the nearest errno.
func reading<R: ~Copyable>(_ call: () throws(LibraryError) -> R) throws(Errno) -> R {
  do throws(LibraryError) { return try call() } catch { throw error.errno }
}
