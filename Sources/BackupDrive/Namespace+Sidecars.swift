import Platform

/// What was read from a sidecar, as long as its file is the same.
struct SidecarSummary: Sendable {
  let size: Int64
  let modified: Timestamp
  let changed: Timestamp
  /// By its first bytes.
  let isSidecar: Bool
  let exactTime: ExactTime?
  /// The attribute `DriveName.recordName`.
  let nameRecord: [UInt8]?
}

/// What stands where a file's sidecar would be.
enum SidecarState: Sendable {
  /// Nothing, or an empty file, which is taken for a sidecar as macOS does.
  case none
  case held(AppleDouble)
  /// A sidecar with more in it than can be written again.
  case frozen(AppleDouble)
  /// A file of the user's, or a damaged sidecar: never written over. With the error for who wants to.
  case unusable(Errno)

  /// The attributes; none of what cannot be read.
  var content: AppleDouble {
    switch self {
    case .held(let content), .frozen(let content): content
    case .none, .unusable: AppleDouble()
    }
  }
}

/// Sidecars on the drive. Names here are those of the drive.
extension Namespace {
  /// Whether the folder has an entry of exactly this name.
  mutating func has(_ name: FileName, in number: UInt64) throws(Errno) -> Bool {
    if entries[number]?.index == nil, !rules.ignoresCase {
      return try Self.kind(of: name, in: try folder(number)) != nil
    }
    return try index(of: number).names(like: name).contains(name)
  }

  /// The name of the sidecar that a file has or would have: as the drive spells it. `nil` of names that have none.
  mutating func sidecarName(for name: FileName, in number: UInt64) throws(Errno) -> FileName? {
    guard let own = Sidecar.name(for: name) else { return nil }
    guard rules.ignoresCase else { return own }
    let found = try index(of: number).names(like: own)
    return found.contains(own) ? own : found.first ?? own
  }

  /// What is known of a `._` file; `nil` when it is not there or no regular file.
  mutating func summary(of name: FileName, in number: UInt64) throws(Errno) -> SidecarSummary? {
    guard Sidecar.hasForm(name), try has(name, in: number) else { return nil }
    let folder = try folder(number)
    let status: FileStatus
    do throws(Errno) { status = try folder.descriptor.status(of: name) } catch .noSuchFile {
      if entries[number]?.children[name] == nil { noteSidecar(name, in: number, exists: false) }  // Else pending.
      return nil
    }
    guard status.kind == .file else { return nil }
    if let known = entries[number]?.sidecars[name], known.size == status.size, known.modified == status.modified,
      known.changed == status.changed
    {
      return known
    }
    let file = try folder.descriptor.open(name, [.read, .nonBlocking])
    let isSidecar = Sidecar.isSidecar(name: name, bytes: try file.read(count: Sidecar.probeSize, at: 0))
    let content = isSidecar ? try? AppleDouble(reading: file) : nil
    let summary = SidecarSummary(
      size: status.size, modified: status.modified, changed: status.changed, isSidecar: isSidecar,
      exactTime: content?.value(of: ExactTime.attributeName).flatMap(ExactTime.init(attribute:)),
      nameRecord: content?.value(of: DriveName.recordName))
    entries[number]?.sidecars[name] = summary
    return summary
  }

  /// The sidecar that a file has on the drive; `nil` when it has none.
  mutating func boundSidecar(of name: FileName, in number: UInt64) throws(Errno) -> FileName? {
    guard let own = try sidecarName(for: name, in: number) else { return nil }
    return try summary(of: own, in: number)?.isSidecar == true ? own : nil
  }

  /// Whether this is the sidecar of a file that is there or being made.
  mutating func isBound(_ name: FileName, in number: UInt64) throws(Errno) -> Bool {
    guard Sidecar.hasForm(name), try summary(of: name, in: number)?.isSidecar == true else { return false }
    return try ownerExists(of: name, in: number)
  }

  /// Whether the file is there to which a sidecar of this name would belong.
  mutating func ownerExists(of name: FileName, in number: UInt64) throws(Errno) -> Bool {
    guard let owner = Sidecar.owner(of: name) else { return false }
    if entries[number]?.children[owner] != nil { return true }
    guard try has(owner, in: number) else { return false }
    return try Self.kind(of: owner, in: try folder(number)) != nil
  }

  /// Reads a file's sidecar.
  mutating func sidecar(of name: FileName, in number: UInt64) throws(Errno) -> SidecarState {
    guard let own = try sidecarName(for: name, in: number) else { return .unusable(.notSupported) }
    guard let summary = try summary(of: own, in: number) else {
      return try has(own, in: number) ? .unusable(.notSupported) : .none
    }
    if summary.size == 0 { return .none }
    guard summary.isSidecar else { return .unusable(.notSupported) }
    let file = try folder(number).descriptor.open(own, [.read, .nonBlocking])
    do throws(AppleDoubleError) {
      let content = try AppleDouble(reading: file)
      return content.holdsForeignData ? .frozen(content) : .held(content)
    } catch {
      if case .system(let errno) = error { throw errno }
      return .unusable(error.errno)
    }
  }

  /// Removes what keeps a folder from being empty, when that is nothing but sidecars whose files are gone; ENOTEMPTY
  /// with nothing removed when there is anything else.
  mutating func removeOrphans(in number: UInt64) throws(Errno) {
    let folder = try folder(number)
    let listed = try folder.descriptor.entries()
    entries[number]?.index = nil
    for entry in listed {
      guard try summary(of: entry.name, in: number)?.isSidecar == true, try !ownerExists(of: entry.name, in: number)
      else { throw .notEmpty }
    }
    for entry in listed {
      try folder.descriptor.removeFile(entry.name)
      noteSidecar(entry.name, in: number, exists: false)
    }
  }

  /// Called after a sidecar was written, moved or removed past the table.
  mutating func noteSidecar(_ name: FileName, in number: UInt64, exists: Bool) {
    if let child = entries[number]?.children[name], entries[child]?.isOnDrive == true {
      detach(child, keepingName: exists)
    }
    entries[number]?.sidecars[name] = nil
    if let owner = Sidecar.owner(of: name) { entries[number]?.realNames[owner] = nil }
    if exists { entries[number]?.index?.insert(name) } else { entries[number]?.index?.remove(name) }
  }

  /// The time to show for an entry of which the drive says `status`.
  mutating func exactTime(of number: UInt64, _ status: FileStatus) throws(Errno) -> Timestamp {
    guard let entry = entries[number], let name = entry.name, let own = try sidecarName(for: name, in: entry.parent),
      let exact = try summary(of: own, in: entry.parent)?.exactTime
    else { return status.modified }
    return exact.believed(drive: status.modified, size: status.kind == .file ? status.size : nil)
  }
}
