import BackupDrive
import Fuse
import Platform

/// The drive's trash as file managers look for it: `.Trash-UID` at the top of the mount.
///
/// In `Backup/` itself no trash is seen, nobody's: a mirroring program would else delete what it was to keep.
extension BackupTree {
  /// The trash of whom the mount belongs to.
  var trashName: FileName { FileName(".Trash-\(settings.userID)") ?? FileName(".Trash") }

  /// Whether a folder of the drive is not shown in `Backup/`.
  func isHidden(_ name: FileName, in folder: DriveNode) -> Bool {
    folder === drive.root && BackupDrive.isTrash(name)
  }

  func shownEntries(of folder: DriveNode) throws(Errno) -> [DirectoryEntry] {
    try drive.entries(of: folder).filter { !isHidden($0.name, in: folder) }
  }

  /// Whether the drive has the trash already.
  var hasTrash: Bool { (try? drive.trashNode(of: settings.userID)) != nil }

  func trashEntry() throws(Errno) -> Entry {
    let trash = try drive.trashNode(of: settings.userID)
    infos.noteTrash(trash)
    return try entry(trash)
  }

  func makeTrash() throws(Errno) -> Entry {
    let trash = try drive.makeTrash(of: settings.userID)
    infos.noteTrash(trash)
    return try entry(trash)
  }

  func removeTrash() throws(Errno) { try drive.removeTrash(of: settings.userID) }
}
