import Platform

/// Folders and albums with the names that they have as folders of a file system.
public struct AlbumTree: Sendable {
  /// A folder or album in its place.
  public struct Node: Sendable {
    /// The record.
    public let album: Album
    /// Its name as a folder: portable, distinct from its siblings'.
    public let name: FileName
    /// Positions in `nodes` of what it holds, in the sidebar's order.
    public internal(set) var children: [Int] = []
    /// Position of the folder that holds it; `nil` at the top.
    public let parent: Int?
  }

  /// Where a tree begins.
  public enum Top: Hashable, Sendable {
    /// The user's own folders and albums.
    case own
    /// Shared albums.
    case shared
  }

  /// All folders and albums. A node's position is its identity in this tree.
  public private(set) var nodes: [Node] = []
  private var tops: [Top: [Int]] = [.own: [], .shared: []]

  /// Builds the tree. `albums` may be in any order; parents must be folders among them.
  public init(_ albums: [Album]) {
    var childrenOf: [AlbumID?: [Album]] = [:]
    for album in albums where album.kind != .sharedAlbum { childrenOf[album.parent, default: []].append(album) }
    add(albums.filter { $0.kind == .sharedAlbum }, below: nil, to: .shared)
    // A queue, not recursion: a library may nest as deep as it likes. Each album is taken once, so cycles end.
    var waiting: [(parent: Int?, albums: [Album])] = [(nil, childrenOf.removeValue(forKey: nil) ?? [])]
    while let (parent, level) = waiting.popLast() {
      for position in add(level, below: parent, to: .own) {
        if let inner = childrenOf.removeValue(forKey: nodes[position].album.id) { waiting.append((position, inner)) }
      }
    }
  }

  /// What is at the top, in the sidebar's order.
  public func top(_ top: Top) -> [Int] { tops[top] ?? [] }

  /// Everything from a top downwards, each folder before what it holds, with the number of folders above it.
  public func outline(of top: Top) -> [(position: Int, depth: Int)] {
    var result: [(position: Int, depth: Int)] = []
    var waiting = self.top(top).reversed().map { (position: $0, depth: 0) }
    while let next = waiting.popLast() {
      result.append(next)
      waiting += nodes[next.position].children.reversed().map { ($0, next.depth + 1) }
    }
    return result
  }

  @discardableResult
  private mutating func add(_ albums: [Album], below parent: Int?, to top: Top) -> [Int] {
    let order = albums.indices.sorted {
      let (left, right) = (albums[$0], albums[$1])
      let (leftTime, rightTime) = (left.created ?? .distantPast, right.created ?? .distantPast)
      return leftTime != rightTime ? leftTime < rightTime : left.id < right.id
    }
    var names = FolderNames()
    var named: [Int: FileName] = [:]
    for index in order {
      let fallback = albums[index].kind == .folder ? "Untitled Folder" : "Untitled Album"
      let stem = PortableName.portable(albums[index].title ?? "", fallback: fallback)
      let name = names.take(stem: stem, suffixes: [""], id: albums[index].id.text).first
      named[index] = name.flatMap { FileName($0) } ?? FileName("Untitled")
    }
    var positions: [Int] = []
    for (index, album) in albums.enumerated() {
      positions.append(nodes.count)
      nodes.append(Node(album: album, name: named[index] ?? FileName("Untitled"), parent: parent))
    }
    if let parent { nodes[parent].children += positions } else { tops[top, default: []] += positions }
    return positions
  }
}
