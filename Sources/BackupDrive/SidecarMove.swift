import Platform

/// The record of a change in which a file and its sidecar go together, durable before the first of its steps.
///
/// The order is always: the record, the file (durably), its sidecar, the end of the record. So whoever finds a record sees by
/// the file whether it has moved, and brings the sidecar after it; and no sidecar ever stands beside another file than its
/// own, but for the moment between the two steps, which the record covers.
///
/// Written to `.foldic/intents/SESSION-NUMBER` as five lines: the header, `file PATH`, `to PATH`, `sidecar PATH`, `sum FNV-1a`;
/// paths as in `Intent`, none for `nil`.
struct SidecarMove: Equatable, Sendable {
  /// Where the file was: a file of the user's, or a session's pending file.
  var file: RelativePath
  /// Where it goes; `nil` when it is removed.
  var target: RelativePath?
  /// What becomes its sidecar there: its own sidecar, or a new one that lies ready in the session's folder. `nil`: it has
  /// none, and one that the name has is taken away. Of a file that is removed: what is removed with it.
  var sidecar: RelativePath?

  static let header = "foldicfs sidecar 1"

  /// The text of the record.
  var bytes: [UInt8] {
    func text(_ path: RelativePath?) -> String { path.map(Intent.escape) ?? "" }
    let body = "\(Self.header)\nfile \(text(file))\nto \(text(target))\nsidecar \(text(sidecar))\n"
    return Array((body + "sum \(Intent.sum(body))\n").utf8)
  }

  init(file: RelativePath, target: RelativePath?, sidecar: RelativePath?) {
    self.file = file
    self.target = target
    self.sidecar = sidecar
  }

  /// Whether a record is one of these rather than an `Intent`.
  static func hasHeader(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array((header + "\n").utf8)) }

  /// Reads what `bytes` wrote, and nothing else: `nil` for anything torn, foreign, or that leads where no change of
  /// `session` can.
  init?(bytes: [UInt8], session: FileName) {
    guard bytes.count <= Intent.maximumSize, bytes.last == 0x0A, bytes.allSatisfy({ $0 < 0x7F }) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 6, lines[0] == Self.header, let file = Intent.path(lines[1], after: "file ") else {
      return nil
    }
    let target = Intent.path(lines[2], after: "to ")
    let sidecar = Intent.path(lines[3], after: "sidecar ")
    self.init(file: file, target: target, sidecar: sidecar)
    guard self.bytes == bytes else { return nil }
    guard Self.isAllowed(file, session) else { return nil }
    if let target, target.components.first.map(NameRules.isService) ?? true { return nil }
    guard let sidecar else { return }
    guard Self.isAllowed(sidecar, session) else { return nil }
    let isPending = sidecar.components.first.map(NameRules.isService) ?? true
    guard isPending || sidecar.name.map(Sidecar.hasForm) ?? false else { return nil }
  }

  private static func isAllowed(_ path: RelativePath, _ session: FileName) -> Bool {
    guard let first = path.components.first else { return false }
    return !NameRules.isService(first) || Intent.isPending(path, of: session)
  }

  // MARK: - Doing it

  /// Brings the sidecar to where the file is. Can be cut anywhere and begun again. `isMoved` when the caller knows that the
  /// file has gone; else it has when nothing is under its old name.
  func finish(root: SharedDescriptor, isMoved: Bool, step: RecoveryStep = {}) throws(Errno) {
    if !isMoved, try Self.exists(file, root) { return }
    guard let target, let name = target.name else {
      if let sidecar { try Self.removeSidecar(sidecar, root, step) }
      return
    }
    if !isMoved, try !Self.exists(target, root) { return }
    let own = Sidecar.name(for: name).map { target.parent.appending($0) }
    if let sidecar, let own, sidecar != own {
      if try Self.exists(sidecar, root) {
        if !isMoved, root.haveSameBytes(sidecar, own) {
          try Self.keepTwin(own, root, step)
        } else {
          try Self.removeSidecar(own, root, step)
        }
        if try !Self.exists(own, root) { try Self.move(sidecar, to: own, root, step) }
      }
    } else if sidecar == nil, let own {
      try Self.removeSidecar(own, root, step)
    }
    // What the file left behind: a sidecar of its old name that was written anew for the new one, or cannot go with it.
    if let old = file.name.flatMap(Sidecar.name(for:)), file.components.first.map(NameRules.isService) == false {
      let left = file.parent.appending(old)
      if left != own, left != sidecar { try Self.removeSidecar(left, root, step) }
    }
  }

  private static func open(_ folder: RelativePath, _ root: SharedDescriptor) throws(Errno) -> SharedDescriptor? {
    if folder.components.isEmpty { return root }
    do throws(Errno) {
      return SharedDescriptor(try root.descriptor.open(beneath: folder, [.read, .directory]))
    } catch {
      if error == .noSuchFile || error == .notDirectory || error == .tooManyLinks { return nil }
      throw error
    }
  }

  private static func exists(_ path: RelativePath, _ root: SharedDescriptor) throws(Errno) -> Bool {
    guard let name = path.name, let folder = try open(path.parent, root) else { return false }
    return try Namespace.kind(of: name, in: folder) != nil
  }

  /// Removes a sidecar, durably; nothing that is none, and nothing where there is nothing.
  private static func removeSidecar(_ path: RelativePath, _ root: SharedDescriptor, _ step: RecoveryStep) throws(Errno)
  {
    guard let name = path.name, let folder = try open(path.parent, root) else { return }
    do throws(Errno) {
      guard try Sidecar.isSidecar(name, in: folder.descriptor) else { return }
    } catch .noSuchFile { return }
    try step()
    try folder.descriptor.removeFile(name)
    try folder.descriptor.synchronize()
  }

  /// Puts a sidecar aside that may share its clusters with its twin: to remove it would free them.
  private static func keepTwin(_ path: RelativePath, _ root: SharedDescriptor, _ step: RecoveryStep) throws(Errno) {
    guard let name = path.name, let folder = try open(path.parent, root),
      let intents = try open(RelativePath([DriveMark.folderName, Session.intentsName]), root),
      let aside = FileName("sidecar-\(RandomID.hex(16)).twin")
    else { return }
    try step()
    try folder.descriptor.rename(name, to: aside, in: intents.descriptor)
    try intents.descriptor.synchronize()
    try folder.descriptor.synchronize()
  }

  private static func move(
    _ old: RelativePath, to new: RelativePath, _ root: SharedDescriptor, _ step: RecoveryStep
  ) throws(Errno) {
    guard let oldName = old.name, let newName = new.name, let from = try open(old.parent, root),
      let to = try open(new.parent, root)
    else { return }
    try step()
    try from.descriptor.rename(oldName, to: newName, in: to.descriptor)
    try to.descriptor.synchronize()
    if old.parent != new.parent { try from.descriptor.synchronize() }
  }
}
