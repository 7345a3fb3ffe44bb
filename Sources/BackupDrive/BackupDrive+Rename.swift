import Platform

/// Renames, of everything: files, files that are being made, links, folders with all that is pending below them.
extension BackupDrive {
  /// What a rename found; names are claimed meanwhile.
  private struct Move {
    let source: DriveNode
    let target: DriveNode?
    /// The source's name as the drive spells it, and the name that it gets.
    let old: Place
    let new: Place
    /// The new name for programs and for the drive.
    let name: DriveName
    var newReal: FileName? { name.needsRecord ? name.real : nil }
    /// A real name is recorded, or was.
    var changesRecord: Bool { name.needsRecord || sourceEntry.real != nil }
    let sourceEntry: Namespace.Entry
    let targetEntry: Namespace.Entry?

    /// Only the spelling changes: case or normal form.
    var isRespelling: Bool { source === target }
    /// The drive has a file or folder under the new name that goes.
    var replaces: Bool {
      guard let targetEntry, !isRespelling else { return false }
      return targetEntry.isOnDrive || targetEntry.coversFile
    }
  }

  /// Renames, durably. Of a file that is not yet committed only the name changes to which it will be; what the drive has
  /// under that name stands until then. A replaced file's handles go on with its bytes. EEXIST when another name in the
  /// folder differs only in case; one file's own case or normal form may be changed.
  public func rename(
    _ old: FileName, in oldFolder: DriveNode, to new: FileName, in newFolder: DriveNode, rule: Descriptor.RenameRule
  ) throws(Errno) {
    let session = try writable()
    guard oldFolder.kind == .directory else { throw .notDirectory }
    guard !isService(old, in: oldFolder) else { throw .noSuchFile }
    try check(new, in: newFolder)
    let keys = Namespace.claimKeys(old, in: oldFolder.number).union(Namespace.claimKeys(new, in: newFolder.number))
    if rule == .exchange {
      return try claimingAll { () throws(Errno) in try swap(old, oldFolder, new, newFolder) }
    }
    let isFolder = try lookup(old, in: oldFolder).kind == .directory
    if isFolder {
      // The paths of everything below change.
      return try claimingAll { () throws(Errno) in try move(old, oldFolder, new, newFolder, rule, session) }
    }
    try claiming(keys) { () throws(Errno) in
      guard try lookup(old, in: oldFolder).kind != .directory else { throw .busy }  // Exchanged this very moment.
      try move(old, oldFolder, new, newFolder, rule, session)
    }
  }

  private func move(
    _ old: FileName, _ oldFolder: DriveNode, _ new: FileName, _ newFolder: DriveNode, _ rule: Descriptor.RenameRule,
    _ session: Session
  ) throws(Errno) {
    let (move, sidecars, isDone) = try tree.withLock { (names) throws(Errno) -> (Move, Sidecars, Bool) in
      let move = try find(old, oldFolder, new, newFolder, rule, &names)
      let none = Sidecars()
      if move.isRespelling, move.old.name == move.new.name, !move.changesRecord { return (move, none, true) }
      if !move.sourceEntry.isOnDrive {
        try movePending(move, &names, session)
        return (move, none, !move.sourceEntry.coversFile)
      }
      let sidecars = try findSidecars(of: move, &names)
      if !sidecars.isEmpty || move.changesRecord { return (move, sidecars, false) }
      if move.replaces, !hasJournal, move.source.kind != .directory { return (move, sidecars, false) }
      try moveOnDrive(move, rule, &names)
      return (move, sidecars, false)
    }
    if isDone { return }
    let kept = try privateAttributes(behind: move.new)
    if move.sourceEntry.isOnDrive {
      if !sidecars.isEmpty || move.changesRecord {
        try moveWithSidecar(move, sidecars, rule, session)
      } else if move.replaces, !hasJournal, move.source.kind != .directory {
        try replace(move, session)
      } else {
        try syncBoth(move)
      }
      landed(move.new, keeping: kept, session)
      return noteMoved(move.old, move.new)
    }
    try syncBoth(move)
    noteRemoved(move.old.path)
  }

  private func syncBoth(_ move: Move) throws(Errno) {
    try sync(move.new)
    if move.old.number != move.new.number { try sync(move.old) }
  }

  /// The names of the sidecars that both names have on the drive.
  private struct Sidecars {
    var old: FileName?
    var new: FileName?
    var isEmpty: Bool { old == nil && new == nil }
  }

  private func findSidecars(of move: Move, _ names: inout Namespace) throws(Errno) -> Sidecars {
    Sidecars(
      old: try names.boundSidecar(of: move.old.name, in: move.old.number ?? Namespace.rootNumber),
      new: move.isRespelling
        ? nil : try names.boundSidecar(of: move.new.name, in: move.new.number ?? Namespace.rootNumber))
  }

  /// A move with which a sidecar goes, is written anew for the new name, or is lost by the old file of that name.
  private func moveWithSidecar(
    _ move: Move, _ sidecars: Sidecars, _ rule: Descriptor.RenameRule, _ session: Session
  ) throws(Errno) {
    let oldNumber = move.old.number ?? Namespace.rootNumber
    let newNumber = move.new.number ?? Namespace.rootNumber
    var prepared: PendingVersion?
    var path = sidecars.old.map { move.old.path.parent.appending($0) }
    if Sidecar.name(for: move.new.name) == nil {
      path = nil
    } else if move.changesRecord, abilities.holdsAttributes, move.name.needsRecord {
      // Under the old name it is not believed.
      try record(move.name, at: move.old, session)
    } else if move.changesRecord, !abilities.holdsAttributes {
      let state = try sidecar(of: move.old)
      var content = state.content
      do throws(AppleDoubleError) { try content.record(move.name) } catch { throw error.errno }
      if case .frozen = state {
      } else {
        prepared = content.isEmpty ? nil : try prepare(content, session)
        path = prepared.map { session.path(of: $0) }
      }
    }
    defer {
      tree.withLock { names in
        if let old = sidecars.old { names.noteSidecar(old, in: oldNumber, exists: false) }
        if let own = Sidecar.name(for: move.new.name) {
          let exists = (try? Namespace.kind(of: own, in: move.new.folder)) ?? nil
          names.noteSidecar(own, in: newNumber, exists: exists != nil)
        }
      }
    }
    func run() throws(Errno) {
      if move.replaces, !hasJournal, move.source.kind != .directory { return try replace(move, session) }
      try tree.withLock { (names) throws(Errno) in try moveOnDrive(move, rule, &names) }
      try syncBoth(move)
    }
    if move.isRespelling, rules.ignoresCase {
      // One name for the drive: the sidecar is its own all the time, however it is spelled.
      try run()
      if let own = Sidecar.name(for: move.new.name) { try respell(sidecars.old, to: own, prepared, move, session) }
    } else if sidecars.isEmpty, prepared == nil {
      try run()
    } else {
      do throws(Errno) {
        try movingSidecar(SidecarMove(file: move.old.path, target: move.new.path, sidecar: path), session, run)
      } catch {
        if let prepared { session.discard(prepared) }
        tree.withLock { names in
          if let old = sidecars.old { names.noteSidecar(old, in: oldNumber, exists: true) }
        }
        throw error
      }
    }
    if abilities.holdsAttributes, move.changesRecord, !move.name.needsRecord {
      try? record(move.name, at: move.new, session)
    }
  }

  private func respell(
    _ old: FileName?, to own: FileName, _ prepared: PendingVersion?, _ move: Move, _ session: Session
  ) throws(Errno) {
    let folder = move.new.folder
    if let old, move.changesRecord, prepared == nil { return try folder.descriptor.removeFile(old) }
    if let old, old != own { try folder.descriptor.rename(old, to: own, in: folder.descriptor) }
    guard let prepared else { return try sync(move.new) }
    if old != nil { try folder.descriptor.removeFile(own) }
    try session.folder.descriptor.rename(prepared.name, to: own, in: folder.descriptor)
    try sync(move.new)
  }

  private func find(
    _ old: FileName, _ oldFolder: DriveNode, _ new: FileName, _ newFolder: DriveNode, _ rule: Descriptor.RenameRule,
    _ names: inout Namespace
  ) throws(Errno) -> Move {
    guard let source = try names.resolve(old, in: oldFolder.number), var sourceEntry = names.entries[source.number],
      let oldName = sourceEntry.name
    else { throw .noSuchFile }
    let isSameFolder = oldFolder.number == newFolder.number
    var target = try names.resolve(new, in: newFolder.number)
    let own: DriveName
    if let targetName = target.flatMap({ names.entries[$0.number]?.name }), target !== source {
      own = DriveName(stored: targetName, record: try names.realName(of: targetName, in: newFolder.number).bytes)
    } else {
      own = try names.newName(for: new, in: newFolder.number, ignoring: isSameFolder ? oldName : nil)
    }
    if target == nil {
      try refuseTwin(of: own.stored, in: newFolder.number, ignoring: isSameFolder ? oldName : nil, &names)
      if isSameFolder, FolderIndex.key(oldName) == FolderIndex.key(own.stored) { target = source }
    }
    let targetEntry = target.flatMap { names.entries[$0.number] }
    let isRespelling = target === source
    if let target, !isRespelling {
      guard rule != .noReplace else { throw .exists }
      if source.kind == .directory {
        guard target.kind == .directory else { throw .notDirectory }
        guard !names.holdsPending(target.number) else { throw .notEmpty }
      } else {
        guard target.kind != .directory else { throw .isDirectory }
      }
    }
    if source.kind == .directory, names.isInside(newFolder.number, source.number) { throw .invalid }
    // A name that is there keeps its spelling: else the folder had both normal forms.
    let real = try names.realName(of: oldName, in: oldFolder.number)
    sourceEntry.real = real == oldName ? nil : real
    return Move(
      source: source, target: target,
      old: try place(oldName, oldFolder, &names), new: try place(own.stored, newFolder, &names),
      name: own, sourceEntry: sourceEntry, targetEntry: isRespelling ? nil : targetEntry)
  }

  private func place(_ name: FileName, _ folder: DriveNode, _ names: inout Namespace) throws(Errno) -> Place {
    Place(
      number: folder.number, folder: try names.folder(folder.number), name: name,
      path: try names.path(of: folder.number).appending(name))
  }

  /// A file that is not yet on the drive: only where it will be committed.
  private func movePending(_ move: Move, _ names: inout Namespace, _ session: Session) throws(Errno) {
    if move.sourceEntry.coversFile {
      // Its first place had a file of that name on the drive, which goes with it as if it had been replaced in time.
      try unlink(move.old.name, in: move.old.folder, session)
      let number = move.old.number ?? Namespace.rootNumber
      if let left = try names.boundSidecar(of: move.old.name, in: number) {
        try move.old.folder.descriptor.removeFile(left)
        names.noteSidecar(left, in: number, exists: false)
      }
    }
    if let versions = move.source.versions, move.changesRecord {
      let pending = versions.state.withLock { $0.pending }
      if abilities.holdsAttributes, let pending { try record(move.name, pending) } else { versions.record(move.name) }
    }
    follow(move, &names)
    names.setPresence(move.source.number, isOnDrive: false, coversFile: move.replaces)
  }

  /// One rename on the drive; the table follows at once.
  private func moveOnDrive(_ move: Move, _ rule: Descriptor.RenameRule, _ names: inout Namespace) throws(Errno) {
    let old = move.old
    let new = move.new
    do throws(Errno) {
      if move.replaces || move.isRespelling {
        try old.folder.descriptor.rename(old.name, to: new.name, in: new.folder.descriptor)
      } else {
        try moveToFreeName(old, new)
      }
    } catch { throw Self.nameError(error, new.name) }
    follow(move, &names)
  }

  private func moveToFreeName(_ old: Place, _ new: Place) throws(Errno) {
    do throws(Errno) {
      try old.folder.descriptor.rename(old.name, to: new.name, in: new.folder.descriptor, .noReplace)
    } catch  where error == .invalid || error == .notImplemented || error == .notSupported {
      // A drive without such a rename; the name is claimed, so nobody here makes it meanwhile.
      guard try Namespace.kind(of: new.name, in: new.folder) == nil else { throw .exists }
      try old.folder.descriptor.rename(old.name, to: new.name, in: new.folder.descriptor)
    }
  }

  private func follow(_ move: Move, _ names: inout Namespace) {
    if let target = move.target, !move.isRespelling { names.detach(target.number) }
    names.move(
      move.source.number, to: move.new.number ?? Namespace.rootNumber, move.new.name, real: move.newReal)
  }

  /// A file onto another on a drive without a journal.
  private func replace(_ move: Move, _ session: Session) throws(Errno) {
    guard let target = move.target else { return }
    // While the name is away the table vouches for it, and the old bytes are read from where they were opened.
    let pinned = try pin(target)
    defer { pinned?.release() }
    tree.withLock { $0.setPresence(target.number, isOnDrive: false, coversFile: true) }
    let covers = move.targetEntry?.isOnDrive == false
    do throws(Errno) {
      try Replacement(drive: self, session: session, source: move.old, target: move.new).run(
        moveIn: { () throws(Errno) in
          try tree.withLock { (names) throws(Errno) in
            try move.old.folder.descriptor.rename(move.old.name, to: move.new.name, in: move.new.folder.descriptor)
            // Nobody sees the table and the drive differ.
            names.setPresence(move.source.number, isOnDrive: true)
            if names.entries[target.number] != nil { names.detach(target.number, keepingName: true) }
            names.move(
              move.source.number, to: move.new.number ?? Namespace.rootNumber, move.new.name, real: move.newReal)
          }
        },
        moveOut: { () throws(Errno) in
          try tree.withLock { (names) throws(Errno) in
            try move.new.folder.descriptor.rename(move.new.name, to: move.old.name, in: move.old.folder.descriptor)
            names.move(
              move.source.number, to: move.old.number ?? Namespace.rootNumber, move.old.name,
              real: move.sourceEntry.real,
              keepingOldName: true)
          }
        })
    } catch {
      tree.withLock { $0.setPresence(target.number, isOnDrive: !covers, coversFile: covers) }
      throw error
    }
  }

  /// Keeps the committed version of a file open; `nil` of what cannot be opened.
  private func pin(_ node: DriveNode) throws(Errno) -> DriveHandle? {
    guard node.kind == .file else { return nil }
    return try open(node, reading: true, writing: false, truncate: false, append: false)
  }

  /// Swaps two names where the drive can: EINVAL elsewhere, with nothing changed.
  private func swap(
    _ old: FileName, _ oldFolder: DriveNode, _ new: FileName, _ newFolder: DriveNode
  ) throws(Errno) {
    let (one, other) = try tree.withLock { (names) throws(Errno) in
      guard let source = try names.resolve(old, in: oldFolder.number),
        let target = try names.resolve(new, in: newFolder.number),
        let sourceEntry = names.entries[source.number], let targetEntry = names.entries[target.number],
        let oldName = sourceEntry.name, let newName = targetEntry.name
      else { throw .noSuchFile }
      guard sourceEntry.isOnDrive, targetEntry.isOnDrive else { throw .invalid }
      let one = try place(oldName, oldFolder, &names)
      let other = try place(newName, newFolder, &names)
      // Not in one step with what belongs to them.
      guard try names.boundSidecar(of: oldName, in: oldFolder.number) == nil,
        try names.boundSidecar(of: newName, in: newFolder.number) == nil,
        try names.realName(of: oldName, in: oldFolder.number) == oldName,
        try names.realName(of: newName, in: newFolder.number) == newName
      else { throw .invalid }
      try one.folder.descriptor.rename(oldName, to: newName, in: other.folder.descriptor, .exchange)
      names.exchange(source.number, target.number)
      return (one, other)
    }
    try sync(other)
    if one.number != other.number { try sync(one) }
    noteExchanged(one, other)
  }
}
