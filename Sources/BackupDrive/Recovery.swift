import Platform

/// Called before each change that a repair makes; throws to cut it there.
typealias RecoveryStep = @Sendable () throws(Errno) -> Void

/// What is done at the start with that which dead sessions left on the drive: every replacement is finished or undone,
/// then their pending files go. Whatever is found, it can be cut anywhere and begun again.
struct Recovery {
  let root: SharedDescriptor
  let temporaries: SharedDescriptor
  let intents: SharedDescriptor
  /// Whether a rename is whole or not at all after a power cut.
  let hasJournal: Bool
  let log: @Sendable (String) -> Void
  let step: RecoveryStep

  /// The caller has the lock that keeps sessions from being made.
  func run() throws(Errno) {
    var dead: [FileName] = []
    var living: Set<FileName> = []
    for entry in try temporaries.descriptor.entries() where entry.name != Session.lockName {
      if try isAlive(entry.name) { living.insert(entry.name) } else { dead.append(entry.name) }
    }
    let needed = try finishReplacements(sparing: living)
    for (file, path) in try twins(of: dead, sparing: needed) { try keep(file, twinOf: path) }
    for session in dead { try remove(session, sparing: needed) }
  }

  /// Whether a process has the session's lock.
  private func isAlive(_ session: FileName) throws(Errno) -> Bool {
    do throws(Errno) {
      let lock = try temporaries.descriptor.open(session, [.read, .directory]).open(Session.lockName, .readWrite)
      return try !lock.tryLock()
    } catch {
      switch error {
      // No lock file, or no folder: left half made by a process that was killed.
      case .noSuchFile, .notDirectory, .tooManyLinks: return false
      default: throw error
      }
    }
  }

  // MARK: - Replacements

  /// Returns the files that a replacement which could not be dealt with still needs.
  private func finishReplacements(sparing living: Set<FileName>) throws(Errno) -> Set<RelativePath> {
    var needed: Set<RelativePath> = []
    var replacements: [(Intent, ReplacementID)] = []
    var moves: [(SidecarMove, ReplacementID)] = []
    let names = Set(try intents.descriptor.entries().map(\.name))
    for name in names.sorted(by: { $0.description < $1.description }) {
      guard let id = ReplacementID(name), !living.contains(id.session) else {
        if let id = ReplacementID(oldFile: name), !living.contains(id.session), !names.contains(id.name) {
          // Not ours to remove: without its record it may be the only copy.
          log("kept .foldic/intents/\(name): an old version whose record is gone")
        }
        continue
      }
      let bytes = try intents.descriptor.open(name, [.read, .nonBlocking]).read(count: Intent.maximumSize + 1, at: 0)
      if SidecarMove.hasHeader(bytes), let move = SidecarMove(bytes: bytes, session: id.session) {
        moves.append((move, id))
        continue
      }
      guard let intent = Intent(bytes: bytes, session: id.session) else {
        if Intent.isTorn(bytes), !names.contains(id.old) {
          // Its replacement had not begun: what is in the way of nothing else.
          try step()
          try intents.descriptor.removeFile(name)
          continue
        }
        // Not ours, or damaged when it was needed.
        guard let aside = FileName(bytes: name.bytes + Array(".broken".utf8)) else { continue }
        try step()
        try intents.descriptor.rename(name, to: aside, in: intents.descriptor)
        log("set a broken record aside as .foldic/intents/\(aside)")
        continue
      }
      replacements.append((intent, id))
    }
    for (intent, id) in replacements {
      do throws(Errno) { try finish(intent, id, &moves) } catch  where error == .noSuchFile || error == .notDirectory {
        needed.insert(intent.source)
        log("cannot put \(intent.target) back from .foldic/intents/\(id.old): its folder is gone")
      }
    }
    // The files are where they belong: now what goes with them.
    for (move, id) in moves {
      try move.finish(root: root, isMoved: false, step: step)
      try drop(id)
    }
    return needed
  }

  /// One replacement: the target gets the old file back unless the new one is there already, or is all there is.
  private func finish(
    _ intent: Intent, _ id: ReplacementID, _ moves: inout [(SidecarMove, ReplacementID)]
  ) throws(Errno) {
    let sourceFolder = try open(intent.source.parent)
    let targetFolder = try open(intent.target.parent)
    guard let sourceName = intent.source.name, let targetName = intent.target.name else { return }
    let hasOld = try Namespace.kind(of: id.old, in: intents) != nil
    let hasSource = try sourceFolder.map { folder throws(Errno) in try Namespace.kind(of: sourceName, in: folder) != nil
    }
    guard let targetFolder else {
      if hasOld || hasSource == true { throw .noSuchFile }
      return try drop(id)
    }
    var hasTarget = try Namespace.kind(of: targetName, in: targetFolder) != nil
    if hasOld, hasTarget, hasSource == true {
      // The new file under two names at once: both may be one chain of clusters, so neither is removed.
      try step()
      try targetFolder.descriptor.rename(targetName, to: id.new, in: intents.descriptor)
      log("\(intent.target): kept an unfinished new version as .foldic/intents/\(id.new)")
      hasTarget = false
    }
    if hasOld, !hasTarget {
      // The old file keeps its own sidecar. First, so that a repair that is cut here does not take it for the new one.
      for (_, other) in moves.filter({ $0.0.target == intent.target }) { try drop(other) }
      moves.removeAll { $0.0.target == intent.target }
      try step()
      try intents.descriptor.rename(id.old, to: targetName, in: targetFolder.descriptor, .replace)
      try targetFolder.descriptor.synchronize()
      try intents.descriptor.synchronize()
      log("\(intent.target): put the old version back, the new one had not been committed")
    } else if hasOld {
      try targetFolder.descriptor.synchronize()
      try step()
      try intents.descriptor.removeFile(id.old)
      try intents.descriptor.synchronize()
      log("\(intent.target): finished its replacement by the new version")
    } else if !hasTarget, hasSource == true, let sourceFolder {
      try step()
      try sourceFolder.descriptor.rename(sourceName, to: targetName, in: targetFolder.descriptor)
      try targetFolder.descriptor.synchronize()
      try sourceFolder.descriptor.synchronize()
      log("\(intent.target): finished its replacement, only the new version was left")
    }
    try drop(id)
  }

  private func drop(_ id: ReplacementID) throws(Errno) {
    try step()
    try intents.descriptor.removeFile(id.name)
    try intents.descriptor.synchronize()
  }

  private func open(_ folder: RelativePath) throws(Errno) -> SharedDescriptor? {
    do throws(Errno) {
      return SharedDescriptor(try root.descriptor.open(beneath: folder, [.read, .directory]))
    } catch {
      if error == .noSuchFile || error == .notDirectory || error == .tooManyLinks { return nil }
      throw error
    }
  }

  // MARK: - Pending files

  private func remove(_ session: FileName, sparing needed: Set<RelativePath>) throws(Errno) {
    let path = RelativePath([DriveMark.folderName, Session.temporaryName, session])
    guard try Namespace.kind(of: session, in: temporaries) == .directory else {
      try step()
      return try temporaries.descriptor.removeFile(session)
    }
    let folder = try temporaries.descriptor.open(session, [.read, .directory])
    var isEmpty = true
    for entry in try folder.entries() where entry.name != Session.lockName {
      if needed.contains(path.appending(entry.name)) {
        isEmpty = false
        continue
      }
      try step()
      do throws(Errno) { try folder.removeFile(entry.name) } catch {
        // After a power cut its clusters may be in disorder: that must not keep anybody from the rest of the drive. The
        // driver may have removed the name all the same.
        guard error == .inputOutput else { throw error }
        guard (try? folder.status(of: entry.name)) != nil else { continue }
        log("cannot remove the damaged .foldic/tmp/\(session)/\(entry.name); a file system check would help")
        isEmpty = false
      }
    }
    guard isEmpty else { return }
    try step()
    do throws(Errno) { try folder.removeFile(Session.lockName) } catch .noSuchFile {}
    try step()
    // A FUSE driver may have a file that was just closed there under a name of its own: the next start removes it.
    do throws(Errno) { try temporaries.descriptor.removeDirectory(session) } catch .notEmpty {}
  }
}

/// The names that a replacement has in `.foldic/intents`.
struct ReplacementID: Hashable, Sendable {
  /// The session that does it.
  let session: FileName
  /// The record: `SESSION-NUMBER`.
  let name: FileName
  /// The old file while the new one comes in.
  let old: FileName
  /// A new file that was found under two names.
  let new: FileName

  /// The names for a record's name; `nil` for any other file.
  init?(_ name: FileName) {
    let parts = name.bytes.split(separator: 0x2D, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].count == 16, !parts[1].isEmpty, parts[1].count < 20,
      parts[0].allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
      parts[1].allSatisfy({ (0x30...0x39).contains($0) }),
      let session = FileName(bytes: parts[0]), let old = FileName(bytes: name.bytes + Array(".old".utf8)),
      let new = FileName(bytes: name.bytes + Array(".new".utf8))
    else { return nil }
    self.session = session
    self.name = name
    self.old = old
    self.new = new
  }

  /// The names for the name of an old file.
  init?(oldFile name: FileName) {
    guard name.bytes.suffix(4).elementsEqual(".old".utf8),
      let record = FileName(bytes: name.bytes.dropLast(4))
    else { return nil }
    self.init(record)
  }
}
