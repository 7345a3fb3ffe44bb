import Platform

/// Pending versions. All of these are called with the file's `writing` lock.
extension BackupDrive {
  /// How much is written before it is pushed out to the medium, in bytes: the commit's fsync is short then.
  static let pushSize: Int64 = 8 << 20

  /// Writes into the pending version; `nil` appends. An error drops the version.
  func write(
    _ node: DriveNode, _ versions: FileVersions, count: Int, at offset: Int64?,
    _ put: (borrowing Descriptor, Int64) throws(Errno) -> Void
  ) throws(Errno) {
    let version = try pendingVersion(node, versions, keeping: .max)
    do throws(Errno) {
      let start: Int64
      if let offset { start = offset } else { start = try version.file.descriptor.status().size }
      try put(version.file.descriptor, start)
      let push = versions.state.withLock { $0.noteWritten(start..<(start + Int64(count))) }
      if let push {
        try version.file.descriptor.beginWriteback(offset: push.lowerBound, length: Int64(push.count))
      }
    } catch {
      fail(node, versions, error)
      throw error
    }
  }

  /// Cuts or grows the pending version; an error leaves everything as it was.
  func resize(_ node: DriveNode, _ versions: FileVersions, to size: Int64) throws(Errno) {
    guard size >= 0 else { throw .invalid }
    try change(node, versions, keeping: size) { (file) throws(Errno) in try file.truncate(to: size) }
  }

  /// Changes the pending version by `body`, of which an error leaves the file as it was.
  func change(
    _ node: DriveNode, _ versions: FileVersions, keeping size: Int64 = .max,
    _ body: (borrowing Descriptor) throws(Errno) -> Void
  ) throws(Errno) {
    let hadVersion = versions.state.withLock { $0.pending != nil }
    let version = try pendingVersion(node, versions, keeping: size)
    do throws(Errno) { try body(version.file.descriptor) } catch {
      if !hadVersion { drop(versions) }
      throw error
    }
    versions.state.withLock { state in
      state.writerWasKilled = false
      state.pendingTime = nil
    }
  }

  /// The version that writers share, made when there is none: a copy of the first `size` bytes of the committed one.
  private func pendingVersion(
    _ node: DriveNode, _ versions: FileVersions, keeping size: Int64
  ) throws(Errno) -> PendingVersion {
    let session = try writable()
    let (pending, committed, failure) = versions.state.withLock { state in
      if size == 0, !state.isNew { state.failure = nil }  // Written from scratch.
      return (state.pending, state.committed, state.failure)
    }
    if let failure { throw failure }
    if let pending { return pending }
    // A file that was committed before begins with what it was, or not at all.
    guard committed != nil || versions.state.withLock({ $0.isNew }) else { throw .inputOutput }
    let version = try session.newVersion()
    if let committed {
      do throws(Errno) {
        if size > 0 { try version.file.descriptor.copyContents(of: committed.descriptor, length: size) }
        // Drives without modes refuse or ignore this.
        if let mode = try? committed.descriptor.status().mode { try? version.file.descriptor.setPermissions(mode) }
        if abilities.holdsAttributes { try Self.copyAttributes(of: committed, to: version.file) }
      } catch {
        session.discard(version)
        throw error
      }
    }
    versions.state.withLock { state in
      state.pending = version
      state.writerWasKilled = false
    }
    return version
  }

  /// Drops the pending version and its space.
  func drop(_ versions: FileVersions) {
    let dropped = versions.state.withLock { state in
      defer { state.endVersion() }
      return state.pending
    }
    if let dropped, let session = try? writable() { session.discard(dropped) }
  }

  /// Drops the pending version after an error; the file's writers get it until they begin from scratch.
  func fail(_ node: DriveNode, _ versions: FileVersions, _ error: Errno) {
    drop(versions)
    let isNew = versions.state.withLock { state in
      state.failure = error
      return state.isNew
    }
    if isNew { forgetNew(node) }
  }

  /// Takes away the name of a file that never came to the drive.
  private func forgetNew(_ node: DriveNode) {
    tree.withLock { names in
      guard let entry = names.entries[node.number], !entry.isOnDrive else { return }
      names.detach(node.number, keepingName: entry.coversFile)
    }
  }

  /// The end of a handle. Takes `writing` itself.
  func release(_ node: DriveNode, _ versions: FileVersions, writes: Bool) {
    if writes {
      versions.writing.withLock { _ in releaseWriter(node, versions) }
    }
    versions.state.withLock { state in
      state.handles -= 1
      if state.handles == 0 { state.committed = nil }
    }
  }

  private func releaseWriter(_ node: DriveNode, _ versions: FileVersions) {
    let (isLast, isPending, wasKilled) = versions.state.withLock { state in
      state.writers -= 1
      return (state.writers == 0, state.pending != nil, state.writerWasKilled)
    }
    guard isLast else { return }
    if isPending, !wasKilled {
      do throws(Errno) { try commit(node, versions) } catch {
        let path = tree.withLock { try? $0.path(of: node.number) }
        log("\(path?.description ?? "a removed file"): what was written after close is lost: \(error)")
      }
    }
    drop(versions)
    let isNew = versions.state.withLock { state in
      state.failure = nil
      return state.isNew
    }
    if isNew { forgetNew(node) }
  }
}

extension FileVersions.State {
  /// Counts what was written; returns the range to push out when it is enough.
  mutating func noteWritten(_ range: Range<Int64>) -> Range<Int64>? {
    writerWasKilled = false
    pendingTime = nil
    let whole = unpushed.map { min($0.lowerBound, range.lowerBound)..<max($0.upperBound, range.upperBound) } ?? range
    unpushed = whole
    unpushedBytes += Int64(range.count)
    guard unpushedBytes >= BackupDrive.pushSize else { return nil }
    unpushed = nil
    unpushedBytes = 0
    return whole
  }

  /// There is no pending version any more.
  mutating func endVersion() {
    pending = nil
    pendingTime = nil
    unpushed = nil
    unpushedBytes = 0
    writerWasKilled = false
  }
}
