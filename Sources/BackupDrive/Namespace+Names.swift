import Platform

/// Names as programs write them, and as they lie on the drive (`DriveName`). Nearly all are the same on both sides and
/// cost nothing: only of a name that could stand for another one the record is read, once for each folder and name.
extension Namespace {
  /// The real name of an entry of the drive.
  mutating func realName(of stored: FileName, in number: UInt64) throws(Errno) -> FileName {
    if let child = entries[number]?.children[stored], let real = entries[child]?.real { return real }
    guard NameRules.mayBeEncoded(stored), !Sidecar.hasForm(stored) else { return stored }
    if let known = entries[number]?.realNames[stored] { return known }
    let record: [UInt8]?
    if abilities.holdsAttributes {
      record = try nativeRecord(of: stored, in: number)
    } else {
      let own = try sidecarName(for: stored, in: number)
      record = try own.flatMap { (own) throws(Errno) in try summary(of: own, in: number)?.nameRecord }
    }
    let real = DriveName(stored: stored, record: record).real
    entries[number]?.realNames[stored] = real
    return real
  }

  private mutating func nativeRecord(of stored: FileName, in number: UInt64) throws(Errno) -> [UInt8]? {
    let folder = try folder(number)
    do throws(Errno) {
      return try folder.descriptor.open(stored, [.read, .nonBlocking]).attribute(Self.nativeRecord)
    } catch {
      return nil  // Gone, a link, or not to be read: shown as it is.
    }
  }

  /// The record of a real name where the drive has attributes.
  static let nativeRecord = Array("user.".utf8) + DriveName.recordName

  /// What is found under a name, or under another normal form of it; never under another case. `nil` when nothing is.
  mutating func resolve(_ name: FileName, in number: UInt64) throws(Errno) -> DriveNode? {
    if NameRules.isOrdinary(name) { return try resolveStored(name, in: number) }
    for candidate in try Self.candidates(for: name) {
      guard let node = try resolveStored(candidate.stored, in: number), let stored = entries[node.number]?.name else {
        continue
      }
      let real = try realName(of: stored, in: number)
      if real == candidate.real || NameRules.spellings(candidate.real).contains(real) { return node }
    }
    return nil
  }

  /// The name under which a new file or folder goes to the drive. EEXIST when all are taken by others. `ignored` is the
  /// stored name that is about to go.
  mutating func newName(
    for name: FileName, in number: UInt64, ignoring ignored: FileName? = nil
  ) throws(Errno) -> DriveName {
    if NameRules.isOrdinary(name) { return DriveName(plain: name) }
    let wanted = FolderIndex.key(name)
    for candidate in try Self.candidates(for: name) {
      if candidate.stored == ignored { return candidate }
      if let node = try resolveStored(candidate.stored, in: number), entries[node.number]?.name != ignored { continue }
      if let twin = try twin(of: candidate.stored, in: number, ignoring: ignored),
        FolderIndex.key(try realName(of: twin, in: number)) != wanted
      {
        continue
      }
      return candidate
    }
    throw .exists
  }

  /// The names on the drive that a name may have. Of a sidecar's: those of its file's, with `._` before.
  static func candidates(for name: FileName) throws(Errno) -> [DriveName] {
    guard Sidecar.hasForm(name) else {
      guard let found = DriveName.candidates(for: name) else { throw .illegalSequence }
      // A name in another normal form is kept as it is.
      if let first = found.first, !first.needsRecord, first.real != name { return [DriveName(plain: name)] + found }
      return found
    }
    guard let owner = Sidecar.owner(of: name) else { return [DriveName(plain: name)] }
    return try candidates(for: owner).compactMap { Sidecar.name(for: $0.stored) }.map(DriveName.init(plain:))
  }

  /// The keys that everybody claims who changes a name: its own, those that it may have on the drive, and their
  /// sidecars'.
  static func claimKeys(_ name: FileName, in number: UInt64) -> Set<NameKey> {
    var names = [name]
    if !NameRules.isOrdinary(name) { names += (try? candidates(for: name))?.map(\.stored) ?? [] }
    names += names.compactMap { Sidecar.hasForm($0) ? Sidecar.owner(of: $0) : Sidecar.name(for: $0) }
    return Set(names.map { NameKey($0, in: number) })
  }
}
