import Platform

/// The catalog of a drive: what the tree tells it, and how others get at it.
extension BackupDrive {
  /// Opens `.foldic/catalog.sqlite`, and makes it when there is none. What this drive object commits is brought to the
  /// catalog by itself when it was opened with `catalog: true`, with a delay of a second.
  /// - Parameter thoroughly: reads all of it to find damage.
  public func openCatalog(thoroughly: Bool = false) throws(CatalogError) -> Catalog {
    let service: Descriptor
    do throws(Errno) { service = try openService() } catch { throw .failed("\(error)") }
    return try Catalog.open(in: service, thoroughly: thoroughly)
  }

  func openService() throws(Errno) -> Descriptor {
    try top.descriptor.open(DriveMark.folderName, [.read, .directory])
  }

  /// The top folder on the drive.
  var top: SharedDescriptor { tree.withLock { $0.root } }

  /// Whether another process may be writing to the drive; those that died were dealt with when this one began.
  var hasOtherSessions: Bool {
    guard let session = try? writable(), let entries = try? session.temporaries.descriptor.entries() else {
      return true
    }
    return entries.contains { $0.name != session.name && $0.name != Session.lockName }
  }

  /// A version is durable under this name.
  func noteCommitted(_ place: Place) { recorder?.note(.committed(place.path)) }

  /// A file or folder is durable under another name.
  func noteMoved(_ old: Place, _ new: Place) { recorder?.note(.moved(old.path, new.path)) }

  /// Two have changed names.
  func noteExchanged(_ one: Place, _ other: Place) { recorder?.note(.exchanged(one.path, other.path)) }

  /// A file is gone from its place, for good or to the trash.
  func noteRemoved(_ path: RelativePath?) {
    if let path { recorder?.note(.removed(path)) }
  }

  /// Times of the committed version were set. Not for pending ones: their commit is noted.
  func noteTimes(of node: DriveNode) {
    guard let recorder, node.kind == .file else { return }
    if let path = tree.withLock({ try? $0.path(of: node.number) }) { recorder.note(.touched(path)) }
  }
}
