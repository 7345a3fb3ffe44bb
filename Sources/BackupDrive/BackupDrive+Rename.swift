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
    let keys: Set<NameKey> = [NameKey(old, in: oldFolder.number), NameKey(new, in: newFolder.number)]
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
    let (move, isDone) = try tree.withLock { (names) throws(Errno) in
      let move = try find(old, oldFolder, new, newFolder, rule, &names)
      if move.isRespelling, move.old.name == move.new.name { return (move, true) }
      if !move.sourceEntry.isOnDrive {
        try movePending(move, &names, session)
        return (move, !move.sourceEntry.coversFile)
      }
      if move.replaces, !hasJournal, move.source.kind != .directory { return (move, false) }
      try moveOnDrive(move, rule, &names)
      return (move, false)
    }
    if isDone { return }
    if move.sourceEntry.isOnDrive, move.replaces, !hasJournal, move.source.kind != .directory {
      return try replace(move, session)
    }
    try sync(move.new)
    if move.old.number != move.new.number { try sync(move.old) }
  }

  private func find(
    _ old: FileName, _ oldFolder: DriveNode, _ new: FileName, _ newFolder: DriveNode, _ rule: Descriptor.RenameRule,
    _ names: inout Namespace
  ) throws(Errno) -> Move {
    guard let source = try names.resolve(old, in: oldFolder.number), let sourceEntry = names.entries[source.number],
      let oldName = sourceEntry.name
    else { throw .noSuchFile }
    let isSameFolder = oldFolder.number == newFolder.number
    var target = try names.resolve(new, in: newFolder.number)
    if target == nil {
      try refuseTwin(of: new, in: newFolder.number, ignoring: isSameFolder ? oldName : nil, &names)
      if isSameFolder, FolderIndex.key(oldName) == FolderIndex.key(new) { target = source }
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
    let newName = isRespelling ? new : targetEntry?.name ?? new
    return Move(
      source: source, target: target,
      old: try place(oldName, oldFolder, &names), new: try place(newName, newFolder, &names),
      sourceEntry: sourceEntry, targetEntry: isRespelling ? nil : targetEntry)
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
    }
    if let target = move.target, !move.isRespelling { names.detach(target.number) }
    names.move(move.source.number, to: move.new.number ?? Namespace.rootNumber, move.new.name)
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
    names.move(move.source.number, to: move.new.number ?? Namespace.rootNumber, move.new.name)
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
            names.move(move.source.number, to: move.new.number ?? Namespace.rootNumber, move.new.name)
          }
        },
        moveOut: { () throws(Errno) in
          try tree.withLock { (names) throws(Errno) in
            try move.new.folder.descriptor.rename(move.new.name, to: move.old.name, in: move.old.folder.descriptor)
            names.move(
              move.source.number, to: move.old.number ?? Namespace.rootNumber, move.old.name, keepingOldName: true)
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
      try one.folder.descriptor.rename(oldName, to: newName, in: other.folder.descriptor, .exchange)
      names.exchange(source.number, target.number)
      return (one, other)
    }
    try sync(other)
    if one.number != other.number { try sync(one) }
  }
}
