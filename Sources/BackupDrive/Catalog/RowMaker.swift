import Platform

/// Makes rows of events, with what the drive says when the row is written: times may have been set since, and the file may
/// have another name by then.
struct RowMaker {
  let root: SharedDescriptor
  /// Where files were committed that are not there any more: a later event says where they went.
  private var unplaced: Set<RelativePath> = []
  /// Beyond this the oldest wait in vain: their files are new to `verify`.
  private static let mostUnplaced = 10_000

  init(root: SharedDescriptor) { self.root = root }

  /// The changes of the catalog that follow from an event.
  mutating func changes(_ event: CatalogRecorder.Event) -> [CatalogChange] {
    switch event {
    case .committed(let path):
      guard let entry = entry(path) else {
        if unplaced.count < Self.mostUnplaced { unplaced.insert(path) }
        // A row of an earlier content must not go along with the new one.
        return [.removed(path)]
      }
      unplaced.remove(path)
      return [.recorded(entry, over: nil)]
    case .touched(let path):
      guard let entry = entry(path) else { return [] }
      return [.touched(path, size: entry.size, modified: entry.modified)]
    case .moved(let old, let new):
      forget(new)
      return [.moved(old, new)] + restate([new]) + place([(old, new)])
    case .exchanged(let one, let other):
      return [.exchanged(one, other)] + restate([one, other]) + place([(one, other), (other, one)])
    case .removed(let path):
      forget(path)
      return [.removed(path)]
    }
  }

  /// A file that was never read may have been recorded while another had its name.
  private func restate(_ paths: [RelativePath]) -> [CatalogChange] {
    paths.compactMap { path in entry(path).map { .restated($0) } }
  }

  private mutating func forget(_ path: RelativePath) {
    if !unplaced.isEmpty { unplaced = unplaced.filter { !$0.isInside(path) } }
  }

  /// Rows of files that went along with renames before they were written.
  private mutating func place(_ moves: [(RelativePath, RelativePath)]) -> [CatalogChange] {
    if unplaced.isEmpty { return [] }
    var still: Set<RelativePath> = []
    var changes: [CatalogChange] = []
    for path in unplaced {
      guard let (old, new) = moves.first(where: { path.isInside($0.0) }) else {
        still.insert(path)
        continue
      }
      let now = RelativePath(new.components + path.components.dropFirst(old.components.count))
      if let entry = entry(now) { changes.append(.recorded(entry, over: nil)) } else { still.insert(now) }
    }
    unplaced = still
    return changes
  }

  /// A row for a file as it is now; `nil` when it is not there (any more), or has the form of a sidecar's name, which only
  /// its content can tell: `verify` looks.
  private func entry(_ path: RelativePath) -> CatalogEntry? {
    guard let name = path.name, !Sidecar.hasForm(name), FolderWalk.isUsers(path),
      let status = try? root.descriptor.open(beneath: path, .statusOnly).status(), status.kind == .file
    else { return nil }
    return CatalogEntry(path: path, size: status.size, modified: status.modified)
  }
}
