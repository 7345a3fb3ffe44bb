import Platform

/// A sidecar whose file is not there.
public struct OrphanSidecar: Hashable, Sendable {
  /// Relative to the top of the drive.
  public let path: RelativePath
  /// Bytes.
  public let size: Int64
}

/// Finds sidecars without a file: by name and magic, below the whole drive but its trash and what foldicfs keeps for itself.
///
/// No proof of anything when a folder could not be read: `failures` then says which.
public struct OrphanScan: Sendable {
  /// What was found, in the order of the paths' bytes within each folder.
  public private(set) var orphans: [OrphanSidecar] = []
  /// Folders and files that could not be looked at, each with the reason.
  public private(set) var failures: [FileError] = []

  /// Looks through a drive. `nil` when `goOn`, which is asked for each folder and each hundredth name, says no.
  public init?(of drive: BackupDrive, goOn: () -> Bool = { true }) {
    let top = drive.tree.withLock { $0.root }
    var waiting: [RelativePath] = [.empty]
    while let path = waiting.popLast() {
      guard goOn() else { return nil }
      do throws(Errno) {
        let folder =
          path.components.isEmpty ? top : SharedDescriptor(try top.descriptor.open(beneath: path, [.read, .directory]))
        guard let inner = try look(through: folder, path, goOn) else { return nil }
        waiting += inner.reversed()
      } catch { failures.append(FileError("read", path: path.description, errno: error)) }
    }
  }

  /// Returns the folders in a folder.
  private mutating func look(
    through folder: SharedDescriptor, _ path: RelativePath, _ goOn: () -> Bool
  ) throws(Errno) -> [RelativePath]? {
    var folders: [RelativePath] = []
    let entries = try folder.descriptor.entries()
    for (number, entry) in entries.sorted(by: { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }).enumerated() {
      if number % 100 == 99, !goOn() { return nil }
      let own = path.appending(entry.name)
      if TrashFolder.isReserved(own) { continue }
      do throws(Errno) {
        var kind = entry.kind
        if kind == nil { kind = try folder.descriptor.status(of: entry.name).kind }
        if kind == .directory {
          folders.append(own)
        } else if try Self.isOrphan(entry.name, in: folder) {
          orphans.append(OrphanSidecar(path: own, size: try folder.descriptor.status(of: entry.name).size))
        }
      } catch {
        if error != .noSuchFile { failures.append(FileError("read", path: own.description, errno: error)) }
      }
    }
    return folders
  }

  /// Whether a name is that of a sidecar without its file, under any normal form of the name.
  static func isOrphan(_ name: FileName, in folder: SharedDescriptor) throws(Errno) -> Bool {
    guard let owner = Sidecar.owner(of: name), try Sidecar.isSidecar(name, in: folder.descriptor) else { return false }
    for spelling in NameRules.spellings(owner) where try Namespace.kind(of: spelling, in: folder) != nil {
      return false
    }
    return true
  }
}

extension BackupDrive {
  /// Moves an orphan to the trash of a user; `false` when it is none any more: its file has come, or it is gone.
  public func discard(_ orphan: OrphanSidecar, to userID: UInt32) throws(TrashError) -> Bool {
    do throws(Errno) {
      _ = try writable()
      let top = tree.withLock { $0.root }
      let parent = orphan.path.parent
      let folder =
        parent.components.isEmpty
        ? top : SharedDescriptor(try top.descriptor.open(beneath: parent, [.read, .directory]))
      guard let name = orphan.path.name, try OrphanScan.isOrphan(name, in: folder) else { return false }
    } catch .noSuchFile {
      return false
    } catch {
      throw TrashError(.system, "move to the trash", orphan.path, error)
    }
    _ = try openTrash(of: userID, create: true)?.trash(orphan.path)
    return true
  }
}
