import Platform

/// Pending files that may share their clusters with a file of the user's.
///
/// A drive without a journal writes the two halves of a rename as it likes: after a power cut a file may stand both in our
/// folder and under its name, and the removal of the one frees the clusters of the other. Nothing tells such twins from
/// copies, so a pending file whose bytes and time are found elsewhere is kept.
extension Recovery {
  /// Which of the dead sessions' pending files have a twin, and where. Walks the whole drive, but only when there are
  /// pending files with anything in them.
  func twins(of sessions: [FileName], sparing needed: Set<RelativePath>) throws(Errno) -> [RelativePath: RelativePath] {
    guard !hasJournal else { return [:] }
    var suspects: [Key: [RelativePath]] = [:]
    for session in sessions {
      guard try Namespace.kind(of: session, in: temporaries) == .directory else { continue }
      let path = RelativePath([DriveMark.folderName, Session.temporaryName, session])
      let folder = try temporaries.descriptor.open(session, [.read, .directory])
      for entry in try folder.entries() where !needed.contains(path.appending(entry.name)) {
        let status = try folder.status(of: entry.name)
        guard status.kind == .file, status.size > 0 else { continue }
        suspects[Key(status), default: []].append(path.appending(entry.name))
      }
    }
    var result: [RelativePath: RelativePath] = [:]
    if suspects.isEmpty { return result }
    walk { path, status in
      for suspect in suspects[Key(status)] ?? [] where result[suspect] == nil && root.haveSameBytes(suspect, path) {
        result[suspect] = path
      }
    }
    return result
  }

  private struct Key: Hashable {
    let size: Int64
    let modified: Timestamp

    init(_ status: FileStatus) {
      size = status.size
      modified = status.modified
    }
  }

  /// Every file but the pending ones. What cannot be read cannot be compared and is left out.
  private func walk(_ body: (RelativePath, FileStatus) -> Void) {
    let own = RelativePath([DriveMark.folderName, Session.temporaryName])
    var waiting = [RelativePath.empty]
    while let path = waiting.popLast() {
      guard path != own, let folder = try? root.descriptor.open(beneath: path, [.read, .directory]),
        let entries = try? folder.entries()
      else { continue }
      for entry in entries {
        guard let status = try? folder.status(of: entry.name) else { continue }
        if status.kind == .directory { waiting.append(path.appending(entry.name)) }
        if status.kind == .file { body(path.appending(entry.name), status) }
      }
    }
  }

  /// Puts a pending file out of everybody's way without freeing anything.
  func keep(_ file: RelativePath, twinOf path: RelativePath) throws(Errno) {
    guard let session = file.parent.name, let own = file.name,
      let name = FileName(bytes: session.bytes + [0x2D] + own.bytes + Array(".twin".utf8))
    else { return }
    try step()
    try temporaries.descriptor.open(session, [.read, .directory]).rename(own, to: name, in: intents.descriptor)
    log(
      "kept .foldic/intents/\(name): it may share its place on the drive with \(path); a file system check separates them"
    )
  }
}
