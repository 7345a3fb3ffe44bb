extension BackupDrive {
  /// For tests: opens a drive as if its file system had a journal, or none, whatever it is.
  package static func open(
    folder: String, hasJournal: Bool, log: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(DriveError) -> BackupDrive {
    try BackupDrive(folder: folder, readOnly: false, hasJournal: hasJournal, log: log)
  }
}
