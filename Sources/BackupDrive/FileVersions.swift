import Platform

/// The versions of one file: the committed one on the drive and the one that is being written.
///
/// Lock order of the module, outermost first; whoever holds a lock takes only later ones:
/// 1. `FileVersions.writing` of one file: writes, copies, commits. Held for as long as these take.
/// 2. Claims on names (`NameClaims`): renames, removals, the last steps of a commit. No lock, but waited for.
/// 3. `BackupDrive.tree`, the table of names: short calls to the drive, never a copy or an fsync.
/// 4. `FileVersions.state`, `FolderSync`, `Departures`: no calls to the drive but closing.
final class FileVersions: Sendable {
  struct State: Sendable {
    /// Serves readers; open while there are handles.
    var committed: SharedDescriptor?
    /// What writers make; there only when it differs from the committed version.
    var pending: PendingVersion?
    /// Never committed until now.
    var isNew: Bool
    /// Open handles, and those among them that may write.
    var handles = 0
    var writers = 0
    /// Why the last pending version was dropped; every write and flush reports it until the file is emptied or the last
    /// writer is gone.
    var failure: Errno?
    /// Since the last write only processes that were killed have closed the file.
    var writerWasKilled = false
    /// The modification time that the pending version was given, on drives that round it.
    var pendingTime: Timestamp?
    /// Of a file that is not on the drive: what its sidecar will hold, on drives without attributes.
    var attributes = AppleDouble()
    /// What was written and not yet pushed out to the medium.
    var unpushed: Range<Int64>?
    var unpushedBytes: Int64 = 0

    /// What a reader of this handle's kind sees now.
    func source(forWriter: Bool) -> SharedDescriptor? {
      if forWriter || isNew, let pending { return pending.file }
      return committed
    }
  }

  /// Serialises writers and commits of this file.
  let writing = Monitor<Bool>(true)
  let state: Monitor<State>

  init(isNew: Bool) { state = Monitor(State(isNew: isNew)) }
}

/// A version that is not yet under its name: a file in the session's folder on the drive.
struct PendingVersion: Sendable {
  let file: SharedDescriptor
  let name: FileName
}
