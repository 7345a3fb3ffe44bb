import Platform

/// The way through the drive.
extension DriveVerification {
  mutating func run() throws(DriveError) -> VerificationReport {
    resume()
    medium.drop()
    do throws(CatalogError) {
      var isThrough = try goThrough()
      if isThrough { isThrough = try confirm() }
      try save()
      guard isThrough else { return report(isComplete: false) }
    } catch { throw Self.error(error) }
    var leftOut: Int?
    if let list = options.list {
      leftOut = try HashList.write(catalog, to: list, cancellation: cancellation)
      if leftOut == nil { return report(isComplete: false) }
    }
    do throws(Errno) {
      if isBehind, unreadable.isEmpty { try Catalog.clearBehind(in: try drive.openService()) }
      try checkpoint?.remove()
    } catch { throw DriveError("verified, but cannot note that it is over: \(error)", error) }
    return report(isComplete: true, leftOut)
  }

  private func report(isComplete: Bool, _ leftOut: Int? = nil) -> VerificationReport {
    VerificationReport(
      identity: drive.identity, isComplete: isComplete, isResumed: isResumed, counts: counts, findings: findings,
      isAccepted: options.accepts && isComplete, leftOutOfList: leftOut)
  }

  private mutating func resume() {
    guard let checkpoint else { return }
    if options.restarts { return discardCheckpoint() }
    guard let earlier = checkpoint.load(catalog: catalog.id) else { return }
    isResumed = true
    position = earlier.position
    counts = earlier.counts
    for finding in earlier.findings {
      // A folder that could not be read is tried again where the way leads there.
      if finding.kind == .unreadable { unreadable.append(finding.path) }
      note(finding.kind, finding.path, finding.detail)
    }
  }

  private func discardCheckpoint() {
    do throws(Errno) { try checkpoint?.remove() } catch { log("cannot forget the earlier run: \(error)") }
  }

  // MARK: - Files and rows

  /// Looks at every file and every row behind `position`; `false` when it was cancelled.
  private mutating func goThrough() throws(CatalogError) -> Bool {
    var walk = FolderWalk(drive.top, after: position, access: options.access)
    var rows = RowCursor(catalog, after: position)
    while let item = walk.next() {
      if cancellation.isCancelled { return false }
      switch item {
      case .file(let path, let folder, let name):
        guard try passRows(&rows, before: path) else { return false }
        var row = try rows.peek()
        if row?.path == path { rows.advance() } else { row = nil }
        guard try examine(path, name, folder, row) else { return false }
        position = path
        try keepUp()
      case .other: counts.passedOver += 1
      case .unreadable(let path, let error):
        unreadable.append(path)
        note(.unreadable, path, "\(error)")
      }
    }
    return try passRows(&rows, before: nil)
  }

  /// Deals with the rows before a path, of which the walk has no file.
  private mutating func passRows(_ rows: inout RowCursor, before path: RelativePath?) throws(CatalogError) -> Bool {
    let end = path?.bytes
    while let row = try rows.peek() {
      if let end, !row.path.bytes.lexicographicallyPrecedes(end) { return true }
      if cancellation.isCancelled { return false }
      rows.advance()
      try examineAbsent(row)
      try keepUp()
    }
    return true
  }

  private mutating func examine(
    _ path: RelativePath, _ name: FileName, _ folder: SharedDescriptor, _ row: CatalogEntry?
  ) throws(CatalogError) -> Bool {
    switch look(path, name, folder.descriptor, row) {
    case .intact(let entry):
      counts.intact += 1
      if let row, entry != row { changes.append(.recorded(entry, over: .row(row))) }
    case .new(let entry):
      counts.new += 1
      record(entry, over: row)
    case .changed(let entry):
      note(.changed, path, "")
      record(entry, over: row)
    case .damaged: suspect(.damaged, path)
    case .gone: if let row { try examineAbsent(row) }
    case .busy: counts.busy += 1
    case .unreadable(let error): note(.unreadable, path, "\(error)")
    case .cancelled: return false
    }
    tell(progress)
    return true
  }

  private mutating func record(_ entry: CatalogEntry, over row: CatalogEntry?) {
    changes.append(.recorded(entry, over: row.map { .row($0) } ?? .nothing))
  }

  private mutating func look(
    _ path: RelativePath, _ name: FileName, _ folder: borrowing Descriptor, _ row: CatalogEntry?
  ) -> FileLook.Result {
    do throws(Errno) { try options.access(path) } catch { return .unreadable(error) }
    let result = FileLook.look(path, name, in: folder, row: row) { count in
      let before = counts.bytesRead
      counts.bytesRead += Int64(count)
      if before >> 28 != counts.bytesRead >> 28 { medium.drop() }
      tell(progress)
      return !cancellation.isCancelled
    }
    switch result {
    case .intact, .new, .changed, .damaged: counts.filesRead += 1
    case .gone, .busy, .unreadable, .cancelled: break
    }
    return result
  }

  /// A row of which the walk came to no file.
  private mutating func examineAbsent(_ row: CatalogEntry) throws(CatalogError) {
    if unreadable.contains(where: { row.path.isInside($0) }) { return }
    switch presence(of: row.path) {
    case .success(true):
      // It came there while its folder was listed; or it is nothing that we count.
      let isSidecar = row.path.name.map(Sidecar.hasForm) ?? false
      if isSidecar || !FolderWalk.isUsers(row.path) {
        changes.append(.removed(row.path))
      } else {
        counts.busy += 1
      }
    case .success(false):
      if isBehind {
        counts.forgotten += 1
        changes.append(.removed(row.path))
      } else {
        suspect(.missing, row.path)
      }
    case .failure(let error): note(.unreadable, row.path, "\(error)")
    }
  }

  private func presence(of path: RelativePath) -> Result<Bool, Errno> {
    do throws(Errno) {
      return .success(try drive.top.descriptor.open(beneath: path, .statusOnly).status().kind == .file)
    } catch {
      let isAbsent = error == .noSuchFile || error == .notDirectory || error == .tooManyLinks
      return isAbsent ? .success(false) : .failure(error)
    }
  }

  // MARK: - The second look

  /// Looks once more at what seems damaged or missing; `false` when it was cancelled.
  private mutating func confirm() throws(CatalogError) -> Bool {
    let suspects = findings.filter { $0.kind == .damaged || $0.kind == .missing }
    if suspects.isEmpty { return true }
    if let last = lastSuspicion, drive.hasOtherSessions {
      cancellation.sleep(milliseconds: options.patience - MonotonicTime.now.milliseconds(since: last))
    }
    medium.drop()
    // Rows that this run has changed are looked up below.
    try flush()
    var kept: [RelativePath: Finding?] = [:]
    for suspect in suspects {
      if cancellation.isCancelled { return false }
      guard let result = try confirm(suspect) else { return false }
      kept[suspect.path] = result.finding
    }
    findings = findings.compactMap { finding in
      guard finding.kind == .damaged || finding.kind == .missing else { return finding }
      return kept[finding.path] ?? nil
    }
    return true
  }

  /// `nil` when it was cancelled; else what stays of the suspicion.
  private mutating func confirm(_ suspect: Finding) throws(CatalogError) -> (finding: Finding?, Void)? {
    var finding = suspect
    // Removed, renamed or written anew meanwhile by somebody who told the catalog.
    guard let row = try catalog.entry(suspect.path), let name = suspect.path.name else { return (nil, ()) }
    let result: FileLook.Result
    switch presence(of: suspect.path) {
    case .success(true):
      do throws(Errno) {
        let folder = try drive.top.descriptor.open(beneath: suspect.path.parent, [.read, .directory])
        result = look(suspect.path, name, folder, row)
      } catch { result = .unreadable(error) }
    case .success(false): result = .gone
    case .failure(let error): result = .unreadable(error)
    }
    switch result {
    case .intact:
      if suspect.kind == .missing {
        counts.intact += 1
        return (nil, ())
      }
      finding.kind = .unsteady
    case .new(let entry):
      counts.new += 1
      record(entry, over: row)
      return (nil, ())
    case .changed(let entry):
      finding.kind = .changed
      record(entry, over: row)
    case .damaged(let entry):
      finding.kind = .damaged
      if options.accepts { record(entry, over: row) }
    case .gone:
      finding.kind = .missing
      if options.accepts { changes.append(.removed(suspect.path)) }
    case .busy:
      counts.busy += 1
      return (nil, ())
    case .unreadable(let error):
      finding.kind = .unreadable
      finding.detail = "\(error)"
    case .cancelled: return nil
    }
    return (finding, ())
  }

  // MARK: - Keeping what is known

  private var progress: Progress {
    Progress(counts: counts, known: known, bad: bad)
  }

  private mutating func suspect(_ kind: Finding.Kind, _ path: RelativePath) {
    lastSuspicion = .now
    note(kind, path, "")
  }

  /// Notes a finding, in place of an earlier one about the same path.
  private mutating func note(_ kind: Finding.Kind, _ path: RelativePath, _ detail: String) {
    let finding = Finding(kind: kind, path: path, detail: detail)
    if let index = findingIndex[path] {
      findings[index] = finding
    } else {
      findingIndex[path] = findings.count
      findings.append(finding)
      if kind.isBad { bad += 1 }
    }
  }

  private mutating func keepUp() throws(CatalogError) {
    let age = MonotonicTime.now.milliseconds(since: lastSave)
    if changes.count >= CatalogRecorder.batch || age >= options.checkpointInterval { try save() }
  }

  private mutating func flush() throws(CatalogError) {
    try catalog.apply(changes)
    changes = []
  }

  /// Rows first, then the checkpoint that vouches for them.
  private mutating func save() throws(CatalogError) {
    try flush()
    lastSave = .now
    guard let checkpoint, let position else { return }
    do throws(Errno) {
      try checkpoint.save(position: position, counts: counts, findings: findings, catalog: catalog.id)
    } catch { log("cannot note how far this came (\(error)): an interrupted run would begin anew") }
  }
}
