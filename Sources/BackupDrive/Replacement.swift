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
      if syncsSource || (source.number != nil && source.number != target.number) { try drive.sync(source) }
    } catch {
      // When this fails too the record stays and the next start decides.
      do throws(Errno) { try moveOut() } catch { throw error }
      putBack(id)
      throw error
    }
    finish(id)
  }

  private func putBack(_ id: ReplacementID) {
    do throws(Errno) {
      try session.intents.descriptor.rename(id.old, to: target.name, in: target.folder.descriptor)
      try drive.sync(target)
      try session.intents.descriptor.removeFile(id.name)
      try drive.sync(session.intents)
    } catch {
      drive.log("\(target.path): cannot put the old version back (\(error)); the next start tries again")
    }
  }

  /// The new file is safe: what fails from here on is left to the next start.
  private func finish(_ id: ReplacementID) {
    do throws(Errno) {
      try drive.step(.removeOld)
      // Removed in the session's folder: a FUSE driver keeps it there under a name of its own while somebody reads it.
      let temporary = try session.temporaryName()
      try session.intents.descriptor.rename(id.old, to: temporary, in: session.folder.descriptor)
      try session.folder.descriptor.removeFile(temporary)
      // First the old file, then its record, then never again: a record that comes back after a power cut would be
      // obeyed, which is harmless for our pending files (their names are used once) but not for a user's.
      try drive.sync(session.intents)
      try session.intents.descriptor.removeFile(id.name)
      if source.number != nil { try drive.sync(session.intents) }
    } catch {
      drive.log("\(target.path): replaced, but its old version cannot be removed yet (\(error))")
    }
  }
}

/// The steps of a commit, for tests that let one fail.
enum CommitStep: Hashable, Sendable, CaseIterable {
  case syncData, writeIntent, moveAside, syncAside, moveIn, syncFolder, removeOld
}

extension BackupDrive {
  /// Makes the entries of a folder below `.foldic` durable. They share rounds with nobody.
  func sync(_ folder: SharedDescriptor) throws(Errno) { try folder.descriptor.synchronize() }

  /// Makes the entries of a place's folder durable.
  func sync(_ place: Place) throws(Errno) {
    guard let number = place.number else { return try sync(place.folder) }
    try folderSync.synchronize(number, place.folder)
  }
}
