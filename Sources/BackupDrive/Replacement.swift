import Platform

/// A place of a file: an open folder and a name in it.
struct Place: Sendable {
  /// The folder's node; `nil` of folders below `.foldic`.
  let number: UInt64?
  let folder: SharedDescriptor
  let name: FileName
  let path: RelativePath
}

/// Replaces a file on a drive without a journal, where one rename onto it can lose both versions in a power cut: the old
/// file steps aside under a durable name until the new one is durable under its own. `Recovery` knows every state between.
struct Replacement {
  let drive: BackupDrive
  let session: Session
  let source: Place
  let target: Place
  /// The source's old name must be gone from the medium too before the old file is: who finds it there takes the
  /// replacement for not done.
  var syncsSource = false

  /// Returns when the new file is durable under the target's name. On an error the old file stands there again.
  /// `moveIn` gives the source the target's name, `moveOut` undoes it.
  func run(moveIn: () throws(Errno) -> Void, moveOut: () throws(Errno) -> Void) throws(Errno) {
    guard let name = FileName("\(session.name)-\(session.nextNumber())"), let id = ReplacementID(name) else {
      throw .invalid
    }
    do throws(Errno) {
      try drive.step(.writeIntent)
      let file = try session.intents.descriptor.open(id.name, [.write, .create, .exclusive], mode: 0o644)
      try file.write(Intent(source: source.path, target: target.path).bytes)
      try file.synchronize()
      try drive.sync(session.intents)
      // The record must find the new file: its bytes are durable, the entry in our folder need not be.
      if source.number == nil { try drive.syncPending(source.folder) }
      try drive.step(.moveAside)
      try target.folder.descriptor.rename(target.name, to: id.old, in: session.intents.descriptor)
    } catch {
      try? session.intents.descriptor.removeFile(id.name)
      try? drive.sync(session.intents)
      throw error
    }
    do throws(Errno) {
      try drive.step(.syncAside)
      try drive.sync(session.intents)
      try drive.sync(target)
      try drive.step(.moveIn)
      try moveIn()
    } catch {
      putBack(id)
      throw error
    }
    do throws(Errno) {
      try drive.step(.syncFolder)
      try drive.sync(target)
      // Else the source may come back, and the next start would take the target for unfinished.
      if source.number == nil {
        if syncsSource { try drive.sync(source) } else { try drive.syncPending(source.folder) }
      } else if syncsSource || source.number != target.number {
        try drive.sync(source)
      }
    } catch {
      let isOut = twice { () throws(Errno) in try moveOut() } == nil
      if isOut {
        putBack(id)
      } else {
        // The new version stands, whole, though nobody was told so.
        session.unfinished.withLock { $0.append(UnfinishedReplacement(id: id, place: nil)) }
      }
      throw error
    }
    finish(id)
  }

  private func putBack(_ id: ReplacementID) {
    let failure = twice { () throws(Errno) in try drive.putBack(id, target, session) }
    guard let failure else { return }
    session.unfinished.withLock { $0.append(UnfinishedReplacement(id: id, place: target)) }
    drive.log("\(target.path): cannot put the old version back yet (\(failure))")
  }

  /// Tries once more what failed.
  private func twice(_ body: () throws(Errno) -> Void) -> Errno? {
    if (try? body()) != nil { return nil }
    do throws(Errno) { try body() } catch { return error }
    return nil
  }

  /// The new file is safe: what fails from here on is tried again before the next change of a name, see `settle`.
  private func finish(_ id: ReplacementID) {
    do throws(Errno) {
      try drive.step(.removeOld)
      try drive.finish(id, session)
      if source.number != nil { try drive.sync(session.intents) }
    } catch {
      session.unfinished.withLock { $0.append(UnfinishedReplacement(id: id, place: nil)) }
      drive.log("\(target.path): replaced, but its old version cannot be removed yet (\(error))")
    }
  }
}

/// A replacement that could not be brought to its end.
struct UnfinishedReplacement: Sendable {
  let id: ReplacementID
  /// Where the old version belongs; `nil` when the new one stands there.
  let place: Place?
}

/// The steps of a commit, for tests that let one fail.
enum CommitStep: Hashable, Sendable, CaseIterable {
  case syncData, writeIntent, moveAside, syncAside, moveIn, syncFolder, removeOld
}

extension BackupDrive {
  /// Gives the old version its name again. May be done again after an error.
  fileprivate func putBack(_ id: ReplacementID, _ place: Place, _ session: Session) throws(Errno) {
    if try Namespace.kind(of: id.old, in: session.intents) != nil {
      guard try Namespace.kind(of: place.name, in: place.folder) == nil else { return try finish(id, session) }
      try session.intents.descriptor.rename(id.old, to: place.name, in: place.folder.descriptor)
    }
    try sync(place)
    try removeRecord(id, session)
    try sync(session.intents)
  }

  /// Removes what a replacement that is done has left. May be done again after an error.
  fileprivate func finish(_ id: ReplacementID, _ session: Session) throws(Errno) {
    if try Namespace.kind(of: id.old, in: session.intents) != nil {
      // Removed in the session's folder: a FUSE driver keeps it there under a name of its own while somebody reads it.
      let temporary = try session.temporaryName()
      try session.intents.descriptor.rename(id.old, to: temporary, in: session.folder.descriptor)
      try session.folder.descriptor.removeFile(temporary)
    }
    // First the old file, then its record, then never again: a record that comes back after a power cut would be
    // obeyed, which is harmless for our pending files (their names are used once) but not for a user's.
    try sync(session.intents)
    try removeRecord(id, session)
  }

  private func removeRecord(_ id: ReplacementID, _ session: Session) throws(Errno) {
    do throws(Errno) { try session.intents.descriptor.removeFile(id.name) } catch {
      guard error == .noSuchFile else { throw error }
    }
  }

  /// Brings those replacements to their end that could not be before. Called before names change: when a target goes from its
  /// name while its record and old version are there, the next start would take the replacement for one that failed.
  func settle(_ session: Session) throws(Errno) {
    try session.unfinished.withLock { (list) throws(Errno) in
      while let last = list.last {
        if let place = last.place {
          try putBack(last.id, place, session)
        } else {
          try finish(last.id, session)
          try sync(session.intents)
        }
        list.removeLast()
      }
    }
  }

  /// Makes the entries of a folder below `.foldic` durable. They share rounds with nobody.
  func sync(_ folder: SharedDescriptor) throws(Errno) { try folder.descriptor.synchronize() }

  /// Makes the entries of a session's folder durable, where the fsync of something else has not done it already.
  func syncPending(_ folder: SharedDescriptor) throws(Errno) {
    if !hasJournal, !flushesAll { try sync(folder) }
  }

  /// Makes the entries of a place's folder durable.
  func sync(_ place: Place) throws(Errno) {
    guard let number = place.number else { return try sync(place.folder) }
    try folderSync.synchronize(number, place.folder)
  }
}
