import Platform

/// Extended attributes, by the names that programs on a Linux mount use.
///
/// Where the drive has attributes they are native ones, `user.NAME`; a bare `com.apple.NAME` is `user.com.apple.NAME`. What a
/// Mac's sidecar holds is seen beside them. Elsewhere they are in the sidecar, see `AppleDouble+MountedNames.swift`. Of a
/// file that was never committed they come to the drive with its first commit; else at once and durably.
extension BackupDrive {
  private static let userPrefix = Array("user.".utf8)
  private static let hidden = userPrefix + AppleDouble.privatePrefix

  /// An attribute's value; ENODATA when there is none.
  public func attribute(_ name: [UInt8], of node: DriveNode) throws(Errno) -> [UInt8] {
    // The kernel asks for security.capability before each write: no call to the drive.
    guard let native = Self.nativeName(name) else { throw .noAttribute }
    if abilities.holdsAttributes,
      let value = try withFile(of: node, { (file) throws(Errno) in try file.attribute(native) })
    {
      return value
    }
    guard let value = try sidecarContent(of: node).value(mounted: name) else { throw .noAttribute }
    return value
  }

  /// The names of all attributes.
  public func attributeNames(of node: DriveNode) throws(Errno) -> [[UInt8]] {
    var names = try sidecarContent(of: node).mountedNames()
    guard abilities.holdsAttributes else { return names }
    for name in try withFile(of: node, { (file) throws(Errno) in try file.attributeNames() })
    where name.starts(with: Self.userPrefix) && !name.starts(with: Self.hidden) && !names.contains(name) {
      names.append(name)
    }
    return names
  }

  /// Sets an attribute. ENOTSUP outside of `user.` and `com.apple.`, EEXIST and ENODATA by the rule, ENOSPC when it does
  /// not fit.
  public func setAttribute(
    _ name: [UInt8], of node: DriveNode, to value: [UInt8], rule: AppleDouble.SetRule = .either
  ) throws(Errno) {
    let session = try writable()
    guard let native = Self.nativeName(name) else { throw .notSupported }
    if abilities.holdsAttributes {
      let rule: Descriptor.AttributeRule =
        switch rule {
        case .either: .either
        case .create: .create
        case .replace: .replace
        }
      return try changeNative(of: node) { (file) throws(Errno) in try file.setAttribute(native, to: value, rule) }
    }
    try changeContent(of: node, session) { (content) throws(AppleDoubleError) in
      try content.set(mounted: name, to: value, rule)
    }
  }

  /// Removes an attribute; ENODATA when there is none.
  public func removeAttribute(_ name: [UInt8], of node: DriveNode) throws(Errno) {
    let session = try writable()
    guard let native = Self.nativeName(name) else { throw .notSupported }
    if abilities.holdsAttributes {
      do throws(Errno) {
        return try changeNative(of: node) { (file) throws(Errno) in try file.removeAttribute(native) }
      } catch .noAttribute {}  // Perhaps in a Mac's sidecar.
    }
    try changeContent(of: node, session) { (content) throws(AppleDoubleError) in try content.remove(mounted: name) }
  }

  /// The name on a drive that has attributes; `nil` for other namespaces and for names of our own.
  private static func nativeName(_ name: [UInt8]) -> [UInt8]? {
    let native = name.starts(with: Array("com.apple.".utf8)) ? userPrefix + name : name
    guard native.starts(with: userPrefix), native.count > userPrefix.count, !native.starts(with: hidden) else {
      return nil
    }
    return native
  }

  /// Takes over all attributes that programs can set: a new version keeps them.
  static func copyAttributes(of source: SharedDescriptor, to target: SharedDescriptor) throws(Errno) {
    for name in try source.descriptor.attributeNames() where name.starts(with: userPrefix) {
      guard let value = try source.descriptor.attribute(name) else { continue }
      try target.descriptor.setAttribute(name, to: value)
    }
  }

  // MARK: - Where they are

  /// Calls `body` with the pending version, or the file or folder as it is on the drive.
  private func withFile<R>(
    of node: DriveNode, _ body: (borrowing Descriptor) throws(Errno) -> R
  ) throws(Errno) -> R {
    if let open = node.versions?.state.withLock({ $0.pending?.file ?? $0.committed }) {
      return try body(open.descriptor)
    }
    let file = try tree.withLock { (names) throws(Errno) -> SharedDescriptor in
      guard let entry = names.entries[node.number] else { throw .noSuchFile }
      guard let name = entry.name else { return names.root }
      guard node.kind == .file || node.kind == .directory else { throw .notSupported }
      return SharedDescriptor(try names.folder(entry.parent).descriptor.open(name, [.read, .nonBlocking]))
    }
    return try body(file.descriptor)
  }

  private func changeNative(
    of node: DriveNode, _ body: (borrowing Descriptor) throws(Errno) -> Void
  ) throws(Errno) {
    func change() throws(Errno) {
      try withFile(of: node) { (file) throws(Errno) in
        try body(file)
        if node.versions?.state.withLock({ $0.pending == nil }) ?? true { try file.synchronize() }
      }
    }
    guard let versions = node.versions else { return try change() }
    try versions.writing.withLock { (_) throws(Errno) in try change() }
  }

  private func sidecarContent(of node: DriveNode) throws(Errno) -> AppleDouble {
    try tree.withLock { (names) throws(Errno) -> AppleDouble in
      guard let entry = names.entries[node.number], let name = entry.name else { return AppleDouble() }
      if let own = node.versions?.state.withLock({ $0.isNew ? $0.attributes : nil }) { return own }
      return try names.sidecar(of: name, in: entry.parent).content
    }
  }

  private func changeContent(
    of node: DriveNode, _ session: Session, _ body: (inout AppleDouble) throws(AppleDoubleError) -> Void
  ) throws(Errno) {
    func change() throws(Errno) {
      let done = try claimingPlace(of: node) { (place) throws(Errno) -> Bool in
        if let versions = node.versions, versions.state.withLock({ $0.isNew }) {
          try versions.state.withLock { (state) throws(Errno) in
            do throws(AppleDoubleError) { try body(&state.attributes) } catch { throw error.errno }
          }
        } else {
          try changeSidecar(of: place, session, body)
        }
        return true
      }
      if done == nil { throw node === root ? .notSupported : .noSuchFile }
    }
    guard let versions = node.versions else { return try change() }
    try versions.writing.withLock { (_) throws(Errno) in try change() }
  }
}
