import Platform

/// Sidecars are written like files: whole under their names, or not there. The caller has claimed the names of both.
extension BackupDrive {
  /// The place of a file's sidecar; ENOTSUP of a file that has none.
  func sidecarPlace(of owner: Place) throws(Errno) -> Place {
    guard let number = owner.number else { throw .notSupported }
    let name = try tree.withLock { (names) throws(Errno) in try names.sidecarName(for: owner.name, in: number) }
    guard let name else { throw .notSupported }
    return Place(number: number, folder: owner.folder, name: name, path: owner.path.parent.appending(name))
  }

  /// What stands where the sidecar of a file is or would be.
  func sidecar(of owner: Place) throws(Errno) -> SidecarState {
    guard let number = owner.number else { return .unusable(.notSupported) }
    return try tree.withLock { (names) throws(Errno) in try names.sidecar(of: owner.name, in: number) }
  }

  /// Writes a sidecar into the session's folder, durably.
  func prepare(_ content: AppleDouble, _ session: Session) throws(Errno) -> PendingVersion {
    let bytes: [UInt8]
    do throws(AppleDoubleError) { bytes = try content.serialised() } catch { throw error.errno }
    let version = try session.newVersion()
    do throws(Errno) {
      try version.file.descriptor.write(bytes)
      try version.file.descriptor.synchronize()
    } catch {
      session.discard(version)
      throw error
    }
    return version
  }

  /// Puts the content of a sidecar in the place of the present one, durably; removes it when there is none.
  func put(_ content: AppleDouble, of owner: Place, _ session: Session) throws(Errno) {
    let place = try sidecarPlace(of: owner)
    guard let number = place.number else { return }
    let exists = try Namespace.kind(of: place.name, in: place.folder) != nil
    if content.isEmpty {
      guard exists else { return }
      try place.folder.descriptor.removeFile(place.name)
      tree.withLock { $0.noteSidecar(place.name, in: number, exists: false) }
      return try sync(place)
    }
    let version = try prepare(content, session)
    do throws(Errno) {
      if exists, !hasJournal {
        let path = session.path(of: version)
        let source = Place(number: nil, folder: session.folder, name: version.name, path: path)
        try Replacement(drive: self, session: session, source: source, target: place).run(
          moveIn: { () throws(Errno) in
            try session.folder.descriptor.rename(version.name, to: place.name, in: place.folder.descriptor)
          },
          moveOut: { () throws(Errno) in
            try place.folder.descriptor.rename(place.name, to: version.name, in: session.folder.descriptor)
          })
      } else {
        try session.folder.descriptor.rename(version.name, to: place.name, in: place.folder.descriptor)
        try sync(place)
      }
    } catch {
      session.discard(version)
      tree.withLock { $0.noteSidecar(place.name, in: number, exists: exists) }
      throw error
    }
    tree.withLock { $0.noteSidecar(place.name, in: number, exists: true) }
  }

  /// Changes what a sidecar holds; writes nothing when that is the same afterwards.
  func changeSidecar(
    of owner: Place, _ session: Session, _ body: (inout AppleDouble) throws(AppleDoubleError) -> Void
  ) throws(Errno) {
    let state = try sidecar(of: owner)
    var content = state.content
    do throws(AppleDoubleError) { try body(&content) } catch { throw error.errno }
    guard content != state.content else { return }
    switch state {
    case .none, .held: try put(content, of: owner, session)
    case .frozen: throw .notPermitted
    case .unusable(let error): throw error
    }
  }

  /// Runs `body` while nobody else changes the names of a node and of its sidecar; `nil` when it has no name any more.
  func claimingPlace<R>(of node: DriveNode, _ body: (Place) throws(Errno) -> R) throws(Errno) -> R? {
    let claim = try tree.wait { (names) throws(Errno) -> (Place, Set<NameKey>)?? in
      guard let entry = names.entries[node.number], let name = entry.name else { return .some(nil) }
      let keys = Namespace.claimKeys(name, in: entry.parent)
      guard names.claims.areFree(keys) else { return nil }
      let place = Place(
        number: entry.parent, folder: try names.folder(entry.parent), name: name, path: try names.path(of: node.number))
      _ = names.claims.take(keys)
      return .some((place, keys))
    }
    guard let (place, keys) = claim else { return nil }
    defer { tree.withLock { $0.claims.release(keys) } }
    return try body(place)
  }

  // MARK: - Exact times

  /// Keeps the time that a file or folder on the drive was given, when the drive does not; `nil` forgets an earlier one.
  func recordTime(_ time: Timestamp?, of node: DriveNode) throws(Errno) {
    guard abilities.roundsTimes, node !== root else { return }
    let session = try writable()
    _ = try claimingPlace(of: node) { (place) throws(Errno) in
      try recordTime(time, of: place, session)
    }
  }

  func recordTime(_ time: Timestamp?, of place: Place, _ session: Session) throws(Errno) {
    guard Sidecar.name(for: place.name) != nil else { return }
    let status = try place.folder.descriptor.status(of: place.name)
    do throws(Errno) {
      try changeSidecar(of: place, session) { (content) throws(AppleDoubleError) in
        try content.record(time, drive: status)
      }
    } catch  where error == .notSupported || error == .notPermitted {
      // A file of the user's has the sidecar's name: the time is as exact as the drive keeps it.
    }
  }

  // MARK: - Moves of both

  /// Moves a file by `body`, which returns when it is durable, then its sidecar after it, see `SidecarMove`.
  func movingSidecar(
    _ move: SidecarMove, _ session: Session, _ body: () throws(Errno) -> Void
  ) throws(Errno) {
    guard let name = FileName("\(session.name)-\(session.nextNumber())") else { throw .invalid }
    let intents = session.intents
    do throws(Errno) {
      try step(.writeIntent)
      // The record is judged by whether they are there: not by names that a power cut may take away.
      if [move.file, move.sidecar].contains(where: { $0?.components.first == DriveMark.folderName }) {
        try sync(session.folder)
      }
      let file = try intents.descriptor.open(name, [.write, .create, .exclusive], mode: 0o644)
      try file.write(move.bytes)
      try file.synchronize()
      try sync(session.intents)
      try body()
    } catch {
      try? intents.descriptor.removeFile(name)
      try? sync(session.intents)
      throw error
    }
    // The file has moved: what fails from here on is tried once more, then left to the next start.
    let root = tree.withLock { $0.root }
    do throws(Errno) {
      do throws(Errno) { try move.finish(root: root, isMoved: true) } catch {
        try move.finish(root: root, isMoved: true)
      }
      do throws(Errno) { try intents.descriptor.removeFile(name) } catch { try intents.descriptor.removeFile(name) }
      // A record that came back after a power cut would be obeyed, by then for other files of these names.
      do throws(Errno) { try sync(session.intents) } catch { try sync(session.intents) }
    } catch {
      log("\(move.target ?? move.file): its attributes do not follow yet (\(error)); the next start tries again")
    }
  }
}

extension AppleDouble {
  /// Sets or removes the exact time of a file of which the drive says `status`.
  mutating func record(_ time: Timestamp?, drive status: FileStatus) throws(AppleDoubleError) {
    guard let time, time != status.modified else {
      remove(ExactTime.attributeName)
      return
    }
    let exact = ExactTime(time: time, size: status.kind == .file ? status.size : nil)
    try set(ExactTime.attributeName, to: exact.attributeValue)
  }

  /// Sets or removes the record of a real name.
  mutating func record(_ name: DriveName) throws(AppleDoubleError) {
    if name.needsRecord { try set(DriveName.recordName, to: name.real.bytes) } else { remove(DriveName.recordName) }
  }

  /// Takes over what foldicfs keeps in another sidecar of the same file.
  mutating func takePrivate(from other: AppleDouble) throws(AppleDoubleError) {
    for attribute in other.attributes where attribute.name.starts(with: Self.privatePrefix) {
      try set(attribute.name, to: attribute.value)
    }
  }

  /// Takes over everything from another sidecar of the same file.
  mutating func takeAll(from other: AppleDouble) throws(AppleDoubleError) {
    for attribute in other.attributes { try set(attribute.name, to: attribute.value) }
    if let info = other.finderInfo { try setFinderInfo(info) }
    if !other.resourceFork.isEmpty { try setResourceFork(other.resourceFork) }
  }

  /// Only what foldicfs keeps itself.
  var privatePart: AppleDouble {
    var result = AppleDouble()
    try? result.takePrivate(from: self)
    return result
  }
}

extension Session {
  /// A version's path below the drive's top.
  func path(of version: PendingVersion) -> RelativePath {
    RelativePath([DriveMark.folderName, Session.temporaryName, name, version.name])
  }
}
