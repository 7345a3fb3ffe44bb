/// The names by which programs on a mount see the attributes of a sidecar.
///
/// Linux programs use `user.NAME` and copy nothing else between file systems; a Mac uses `NAME`. What netatalk does, and
/// rsync between the two systems, is followed where a Mac understands the name, and nothing is renamed where it would not:
///
/// | in the sidecar | on a Linux mount |
/// | --- | --- |
/// | Finder info, resource fork | `com.apple.FinderInfo`, `com.apple.ResourceFork` |
/// | `com.apple.NAME` | `user.com.apple.NAME`; `com.apple.NAME` finds it too |
/// | `user.NAME` (written here) | `user.NAME` |
/// | any other `NAME` (written by a Mac) | `user.NAME` |
/// | `com.apple.system.NAME`, `org.foldicfs.NAME` | not shown |
///
/// A name that is listed always finds the attribute that it was listed for, and what was set under a `user.` name is listed
/// under it: rsync removes at once what it did not set, so an attribute listed under another name would be lost. Should a
/// sidecar hold both `user.NAME` and `NAME`, the second is listed bare. On a Mac the sidecar's own names are used.
extension AppleDouble {
  /// Whose names a mount uses.
  public enum Convention: Sendable {
    /// Names with a namespace.
    case linux
    /// The sidecar's own names.
    case mac
  }

  /// What a change does when the attribute is there already or not (setxattr(2)).
  public enum SetRule: Sendable {
    /// Makes or replaces it.
    case either
    /// Fails with `attributeExists` (XATTR_CREATE).
    case create
    /// Fails with `noAttribute` (XATTR_REPLACE).
    case replace
  }

  /// Prefix of the attributes in which foldicfs keeps what the drive cannot; neither listed nor settable on a mount.
  public static let privatePrefix = Array("org.foldicfs.".utf8)

  static let finderInfoName = Array("com.apple.FinderInfo".utf8)
  static let resourceForkName = Array("com.apple.ResourceFork".utf8)
  private static let userPrefix = Array("user.".utf8)
  private static let applePrefix = Array("com.apple.".utf8)
  private static let hiddenPrefixes = [Array("com.apple.system.".utf8), privatePrefix]
  private static let foreignPrefixes = ["security.", "system.", "trusted."].map { Array($0.utf8) }

  /// The names to list.
  public func mountedNames(_ convention: Convention = .linux) -> [[UInt8]] {
    var names: [[UInt8]] = []
    if finderInfo != nil { names.append(Self.finderInfoName) }
    if !resourceFork.isEmpty { names.append(Self.resourceForkName) }
    let stored = Set(attributes.map(\.name))
    for name in attributes.map(\.name) where !Self.isHidden(name) {
      let prefixed = Self.userPrefix + name
      let bare = convention == .mac || name.starts(with: Self.userPrefix) || stored.contains(prefixed)
      names.append(bare ? name : prefixed)
    }
    return names
  }

  /// The value of an attribute by its name on the mount; `nil` when there is none.
  public func value(mounted name: [UInt8], _ convention: Convention = .linux) -> [UInt8]? {
    if name == Self.finderInfoName { return finderInfo }
    if name == Self.resourceForkName { return resourceFork.isEmpty ? nil : resourceFork }
    return storedName(of: name, convention).flatMap(value(of:))
  }

  /// Sets an attribute by its name on the mount.
  public mutating func set(
    mounted name: [UInt8], to value: [UInt8], _ rule: SetRule = .either, _ convention: Convention = .linux
  ) throws(AppleDoubleError) {
    let exists = self.value(mounted: name, convention) != nil
    if rule == .create && exists { throw .attributeExists }
    if rule == .replace && !exists { throw .noAttribute }
    if name == Self.finderInfoName { return try setFinderInfo(value) }
    if name == Self.resourceForkName { return try setResourceFork(value) }
    if let stored = storedName(of: name, convention) { return try set(stored, to: value) }
    try set(Self.newName(for: name, convention), to: value)
  }

  /// Removes an attribute by its name on the mount.
  public mutating func remove(mounted name: [UInt8], _ convention: Convention = .linux) throws(AppleDoubleError) {
    guard value(mounted: name, convention) != nil else { throw .noAttribute }
    if name == Self.finderInfoName { return try setFinderInfo(nil) }
    if name == Self.resourceForkName { return try setResourceFork([]) }
    if let stored = storedName(of: name, convention) { remove(stored) }
  }

  /// The attribute that a name on the mount means, if it is there.
  private func storedName(of name: [UInt8], _ convention: Convention) -> [UInt8]? {
    guard !Self.isHidden(name) else { return nil }
    if value(of: name) != nil { return name }
    guard convention == .linux, name.starts(with: Self.userPrefix) else { return nil }
    let bare = Array(name.dropFirst(Self.userPrefix.count))
    return !Self.isHidden(bare) && value(of: bare) != nil ? bare : nil
  }

  private static func newName(for name: [UInt8], _ convention: Convention) throws(AppleDoubleError) -> [UInt8] {
    guard !isHidden(name) else { throw .badName }
    guard convention == .linux else { return name }
    guard !foreignPrefixes.contains(where: { name.starts(with: $0) }) else { throw .foreignNamespace }
    guard name.starts(with: userPrefix) else { return name }
    let bare = Array(name.dropFirst(userPrefix.count))
    guard !bare.isEmpty, !isHidden(bare) else { throw .badName }
    // Finder info and fork have one name only, else the two spellings would undo each other.
    let special = bare == finderInfoName || bare == resourceForkName
    return bare.starts(with: applePrefix) && !special ? bare : name
  }

  private static func isHidden(_ name: [UInt8]) -> Bool { hiddenPrefixes.contains { name.starts(with: $0) } }
}
