import Platform

extension TrashFolder {
  private static let action = "move to the trash"

  /// Moves a file or folder, and its sidecar, into the trash; returns its name there.
  ///
  /// The order keeps a crash harmless: info file (O_EXCL, on the medium), then the file, then the sidecar. A failure leaves
  /// the file where it is and nothing in the trash. Only when the drive refuses also to take the move back, the file stays
  /// in the trash, whole and with its info file.
  ///
  /// - Parameters:
  ///   - path: relative to the top of the drive.
  ///   - date: the time of deletion.
  public func trash(_ path: RelativePath, date: Timestamp = .now) throws(TrashError) -> FileName {
    do throws(Errno) {
      guard let name = path.name, let content = TrashInfo(path: path, deletionDate: CivilTime(local: date)) else {
        throw .invalid
      }
      guard !Self.isReserved(path) else { throw .notPermitted }
      let source = try folder(path.parent)
      _ = try source.status(of: name)
      let item = try reserve(name, content: content.serialised)
      do throws(Errno) {
        try moveIn(name, from: source, as: item)
      } catch {
        // Who cannot be seen may be there: then its info file is needed.
        if (try? Self.exists(item, in: files)) == false { discardInfo(of: item) }
        throw error
      }
      return item
    } catch {
      throw TrashError(.system, Self.action, path, error)
    }
  }

  /// Writes the info file of a free name.
  private func reserve(_ name: FileName, content: [UInt8]) throws(Errno) -> FileName {
    var measure = TrashName.Measure.units
    var attempt = 1
    while attempt < 100_000 {
      let candidate = TrashName.candidate(for: name, attempt: attempt, measure: measure)
      do throws(Errno) {
        if try isFree(candidate), try writeInfo(of: candidate, content: content) { return candidate }
      } catch .nameTooLong where measure == .units {
        measure = .bytes
        continue
      }
      attempt += 1
    }
    throw .exists
  }

  /// Whether neither a file nor a left-over sidecar has the name: either would be mistaken for the new item's.
  private func isFree(_ name: FileName) throws(Errno) -> Bool {
    if try Self.exists(name, in: files) { return false }
    guard let sidecar = Sidecar.name(for: name) else { return true }
    return try !Self.exists(sidecar, in: files)
  }

  /// `false` when another has the name.
  private func writeInfo(of name: FileName, content: [UInt8]) throws(Errno) -> Bool {
    guard let infoName = TrashName.info(for: name) else { throw .invalid }
    let file: Descriptor
    do throws(Errno) {
      file = try info.open(infoName, [.write, .create, .exclusive], mode: 0o600)
    } catch .exists {
      return false
    }
    do throws(Errno) {
      try file.write(content)
      try file.synchronize()
      try info.synchronize()
      return true
    } catch {
      discardInfo(of: name)
      throw error
    }
  }

  private func moveIn(_ name: FileName, from source: borrowing Descriptor, as item: FileName) throws(Errno) {
    let sidecar = try Self.sidecar(of: name, in: source)
    try Self.move(name, in: source, to: item, in: files)
    do throws(Errno) {
      if let sidecar, let itemSidecar = Sidecar.name(for: item) {
        try Self.move(sidecar, in: source, to: itemSidecar, in: files)
      }
      // The trash first: a cut between the two then leaves two names rather than none where the drive can.
      try files.synchronize()
      try source.synchronize()
    } catch {
      takeBack(item, to: name, in: source, sidecar: sidecar)
      throw error
    }
  }

  /// All or nothing: back to where it was, if the drive lets us.
  private func takeBack(
    _ item: FileName, to name: FileName, in source: borrowing Descriptor, sidecar: FileName?
  ) {
    do throws(Errno) { try Self.move(item, in: files, to: name, in: source) } catch { return }
    if let sidecar, let itemSidecar = Sidecar.name(for: item) {
      try? Self.move(itemSidecar, in: files, to: sidecar, in: source)
    }
    try? source.synchronize()
    try? files.synchronize()
  }
}
