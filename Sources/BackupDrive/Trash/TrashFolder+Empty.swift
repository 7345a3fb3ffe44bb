import Platform

/// One thing in the trash.
public struct TrashedItem: Hashable, Sendable {
  /// Its name in the trash.
  public let name: FileName
  /// Where it was and when it was deleted; `nil` when its info file is missing or damaged.
  public let info: TrashInfo?
  /// What stat says of it.
  public let status: FileStatus
}

extension TrashFolder {
  /// All items in the order of their names' bytes. Sidecars are part of their item; a sidecar without one is an item.
  public func items() throws(TrashError) -> [TrashedItem] {
    let names = try entries(of: files)
    let present = Set(names)
    var items: [TrashedItem] = []
    for name in names.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
      do throws(Errno) {
        if let owner = Sidecar.owner(of: name), present.contains(owner), try Sidecar.isSidecar(name, in: files) {
          continue
        }
        let status = try files.status(of: name)
        items.append(TrashedItem(name: name, info: try? readInfo(of: name, for: "list"), status: status))
      } catch .noSuchFile {
        // Restored or deleted by another program since the listing.
      } catch {
        throw TrashError(.system, "list", name, error)
      }
    }
    return items
  }

  /// Deletes one item for good, a folder with all in it: the files first, then the info file. Links are not followed.
  ///
  /// `goOn` is asked before each file; when it says no, `cancelled` is thrown and what is left is still an item.
  public func delete(_ item: FileName, goOn: () -> Bool = { true }) throws(TrashError) {
    let action = "delete from the trash"
    var finished = false
    do throws(Errno) {
      guard try Self.exists(item, in: files) else { throw .noSuchFile }
      let sidecar = try Self.sidecar(of: item, in: files)
      finished = try Self.deleteTree(item, in: files, goOn: goOn)
      if finished {
        if let sidecar { try files.removeFile(sidecar) }
        try files.synchronize()
        discardInfo(of: item)
      }
    } catch {
      throw TrashError(error == .noSuchFile ? .noSuchItem : .system, action, item, error)
    }
    if !finished { throw TrashError(.cancelled, action, item, .interrupted) }
  }

  /// Deletes everything in the trash. Returns the items that could not be deleted, each with its reason; they stay.
  /// Info files whose file is missing go when they are older than a day: younger ones may belong to a move that
  /// another program is just making.
  public func empty(now: Timestamp = .now, goOn: () -> Bool = { true }) throws(TrashError) -> [TrashError] {
    var failures: [TrashError] = []
    for item in try items() {
      do throws(TrashError) {
        try delete(item.name, goOn: goOn)
      } catch {
        if error.reason == .cancelled { throw error }
        if error.reason != .noSuchItem { failures.append(error) }
      }
    }
    for name in try entries(of: info) {
      guard let item = TrashName.item(ofInfo: name), (try? Self.exists(item, in: files)) == false,
        let status = try? info.status(of: name), status.modified.seconds < now.seconds - 86_400
      else { continue }
      discardInfo(of: item)
    }
    return failures
  }

  func entries(of folder: borrowing Descriptor) throws(TrashError) -> [FileName] {
    do throws(Errno) {
      return try folder.entries().map(\.name)
    } catch {
      throw TrashError(.system, "list", "the trash", error)
    }
  }

  /// `false` when `goOn` said no.
  private static func deleteTree(
    _ name: FileName, in folder: borrowing Descriptor, goOn: () -> Bool
  ) throws(Errno) -> Bool {
    guard goOn() else { return false }
    guard try folder.status(of: name).kind == .directory else {
      try folder.removeFile(name)
      return true
    }
    let inner = try folder.open(name, [.read, .directory])
    for entry in try inner.entries() {
      guard try deleteTree(entry.name, in: inner, goOn: goOn) else { return false }
    }
    try folder.removeDirectory(name)
    return true
  }
}
