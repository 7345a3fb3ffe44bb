import Platform

/// The names that are in use by callers: a tree of numbers over the drive's folders, with files that are not yet there.
///
/// Lives behind `BackupDrive.tree`. What nobody holds is not in it; the drive has the last word on everything that is
/// not pending.
struct Namespace: Sendable {
  struct Entry: Sendable {
    /// The folder's number; 0 of the root.
    var parent: UInt64
    /// On the drive; `nil` of the root.
    var name: FileName?
    /// As programs see it, when it is known to differ.
    var real: FileName?
    /// The drive has it under this name. Else it is pending, or its name is just being exchanged.
    var isOnDrive: Bool
    /// Pending, and to replace another file that the drive still has under this name.
    var coversFile = false
    var children: [FileName: UInt64] = [:]
    /// The folder's names, once they were needed.
    var index: FolderIndex?
    /// What its sidecars hold, by their names.
    var sidecars: [FileName: SidecarSummary] = [:]
    /// The real names of those of its entries that might have another.
    var realNames: [FileName: FileName] = [:]
    /// Sidecars that came by themselves and wait for their files.
    var waiting: Set<FileName> = []
    weak var node: DriveNode?
  }

  static let rootNumber: UInt64 = 1

  let root: SharedDescriptor
  let rules: NameRules
  let abilities: DriveAbilities
  let departures: Departures
  var claims = NameClaims()
  var entries: [UInt64: Entry]
  private var lastNumber = rootNumber
  private var folders = FolderCache()

  init(
    root: SharedDescriptor, rules: NameRules, abilities: DriveAbilities, departures: Departures, node: DriveNode
  ) {
    self.root = root
    self.rules = rules
    self.abilities = abilities
    self.departures = departures
    entries = [Self.rootNumber: Entry(parent: 0, name: nil, isOnDrive: true, node: node)]
  }

  // MARK: - Nodes

  /// The node of a child that is in the table.
  private mutating func node(of number: UInt64, kind: FileStatus.Kind) -> DriveNode {
    if let node = entries[number]?.node { return node }
    let node = DriveNode(number: number, kind: kind, isNew: false, departures: departures)
    entries[number]?.node = node
    return node
  }

  /// Puts a file or folder into the table.
  mutating func adopt(
    _ name: FileName, in folder: UInt64, kind: FileStatus.Kind, isOnDrive: Bool, real: FileName? = nil
  ) -> DriveNode {
    tidy()
    lastNumber += 1
    let node = DriveNode(number: lastNumber, kind: kind, isNew: !isOnDrive, departures: departures)
    entries[lastNumber] = Entry(parent: folder, name: name, real: real, isOnDrive: isOnDrive, node: node)
    entries[folder]?.children[name] = lastNumber
    entries[folder]?.index?.insert(name)
    return node
  }

  /// Takes a node and all below it out of the table: it has no name any more, its handles go on. `keepingName` when the
  /// drive goes on to have something under it.
  mutating func detach(_ number: UInt64, keepingName: Bool = false) {
    guard number != Self.rootNumber, let entry = entries.removeValue(forKey: number) else { return }
    folders.forget(number)
    for child in entry.children.values { detach(child) }
    guard let name = entry.name, entries[entry.parent]?.children[name] == number else { return }
    entries[entry.parent]?.children[name] = nil
    entries[entry.parent]?.realNames[name] = nil
    if !keepingName { entries[entry.parent]?.index?.remove(name) }
  }

  /// Gives a node another name in the table.
  mutating func move(
    _ number: UInt64, to folder: UInt64, _ name: FileName, real: FileName? = nil, keepingOldName: Bool = false
  ) {
    guard let entry = entries[number], let old = entry.name else { return }
    entries[entry.parent]?.children[old] = nil
    entries[entry.parent]?.realNames[old] = nil
    entries[folder]?.realNames[name] = nil
    entries[number]?.real = real
    if !keepingOldName { entries[entry.parent]?.index?.remove(old) }
    entries[number]?.parent = folder
    entries[number]?.name = name
    entries[folder]?.children[name] = number
    entries[folder]?.index?.insert(name)
  }

  /// Swaps the names of two nodes in the table.
  mutating func exchange(_ one: UInt64, _ other: UInt64) {
    guard let first = entries[one], let second = entries[other], let firstName = first.name,
      let secondName = second.name
    else { return }
    entries[one]?.parent = second.parent
    entries[one]?.name = secondName
    entries[other]?.parent = first.parent
    entries[other]?.name = firstName
    entries[first.parent]?.children[firstName] = other
    entries[second.parent]?.children[secondName] = one
  }

  mutating func setPresence(_ number: UInt64, isOnDrive: Bool, coversFile: Bool = false) {
    entries[number]?.isOnDrive = isOnDrive
    entries[number]?.coversFile = coversFile
  }

  /// Forgets what nobody holds.
  private mutating func tidy() {
    for departed in departures.take() {
      var number = departed
      while number != Self.rootNumber, let entry = entries[number], entry.node == nil, entry.children.isEmpty,
        entry.isOnDrive
      {
        entries[number] = nil
        folders.forget(number)
        if let name = entry.name { entries[entry.parent]?.children[name] = nil }
        number = entry.parent
      }
    }
  }

  // MARK: - Folders

  /// The path of a node that is in the table; ENOENT when it is in it no longer.
  func path(of number: UInt64) throws(Errno) -> RelativePath {
    var components: [FileName] = []
    var number = number
    while number != Self.rootNumber {
      guard let entry = entries[number], let name = entry.name else { throw .noSuchFile }
      components.append(name)
      number = entry.parent
    }
    return RelativePath(components.reversed())
  }

  /// An open folder of the table.
  mutating func folder(_ number: UInt64) throws(Errno) -> SharedDescriptor {
    if number == Self.rootNumber { return root }
    if let known = folders.find(number) { return known }
    let folder = SharedDescriptor(
      try root.descriptor.open(beneath: try path(of: number), [.read, .directory]))
    folders.insert(number, folder)
    return folder
  }

  /// Whether `number` is `folder` or lies below it.
  func isInside(_ number: UInt64, _ folder: UInt64) -> Bool {
    var number = number
    while number != folder {
      guard number != Self.rootNumber, let entry = entries[number] else { return false }
      number = entry.parent
    }
    return true
  }

  /// Whether something is in this folder that the drive does not show.
  func holdsPending(_ number: UInt64) -> Bool {
    entries[number]?.children.values.contains { entries[$0]?.isOnDrive == false } ?? false
  }

  /// What the folder holds under the names that programs see, pending files too, without `.foldic` and, if they are not
  /// to be shown, without the sidecars of its files.
  mutating func listing(_ number: UInt64, showingSidecars: Bool) throws(Errno) -> [DirectoryEntry] {
    var result = try folder(number).descriptor.entries()
    // Others may have changed the folder; now it is known.
    if rules.ignoresCase || entries[number]?.index != nil {
      let index = newIndex(of: number, result)
      entries[number]?.index = index
    }
    if number == Self.rootNumber { result.removeAll { NameRules.isService($0.name) } }
    if holdsPending(number), let children = entries[number]?.children {
      let listed = Set(result.map(\.name))
      for (name, child) in children where entries[child]?.isOnDrive == false && !listed.contains(name) {
        result.append(DirectoryEntry(name: name, kind: .file))
      }
    }
    var shown: [DirectoryEntry] = []
    shown.reserveCapacity(result.count)
    for entry in result {
      if !showingSidecars, Sidecar.hasForm(entry.name), try isBound(entry.name, in: number) { continue }
      shown.append(DirectoryEntry(name: try realName(of: entry.name, in: number), kind: entry.kind))
    }
    return shown
  }

  // MARK: - Finding

  /// What is found under a name of the drive or another normal form of it; never under another case. `nil` when nothing
  /// is.
  mutating func resolveStored(_ name: FileName, in number: UInt64) throws(Errno) -> DriveNode? {
    guard entries[number] != nil else { throw .noSuchFile }
    let spellings = NameRules.spellings(name)
    let open = try folder(number)
    for spelling in spellings {
      guard let child = entries[number]?.children[spelling], let entry = entries[child] else { continue }
      if !entry.isOnDrive, let node = entry.node { return node }
      guard let kind = try Self.kind(of: spelling, in: open) else {
        detach(child)  // Removed behind our back.
        continue
      }
      let node = node(of: child, kind: kind)
      if node.kind == kind { return node }
      detach(child, keepingName: true)  // Exchanged behind our back.
      return adopt(spelling, in: number, kind: kind, isOnDrive: true)
    }
    for spelling in rules.ignoresCase ? try indexed(spellings, in: number) : spellings {
      if let kind = try Self.kind(of: spelling, in: open) {
        return adopt(spelling, in: number, kind: kind, isOnDrive: true)
      }
    }
    return nil
  }

  /// Of a drive that ignores case only a listing tells how a name is spelled there.
  private mutating func indexed(_ spellings: [FileName], in number: UInt64) throws(Errno) -> [FileName] {
    let wanted = spellings[0]
    let twins = try index(of: number).names(like: wanted)
    let found = twins.filter { NameRules.spellings($0).contains(where: spellings.contains) }
    if !found.isEmpty { return found.sorted { $0 == wanted && $1 != wanted } }
    guard twins.isEmpty, try Self.kind(of: wanted, in: try folder(number)) != nil else { return [] }
    // There, but not in the index: made behind our back, or a twin by the drive's own table only.
    entries[number]?.index = nil
    return try index(of: number).names(like: wanted).contains(wanted) ? [wanted] : []
  }

  /// Another name in the folder that some drive cannot tell from `name`; `nil` when there is none. `ignored` is the name
  /// that is about to go.
  mutating func twin(of name: FileName, in number: UInt64, ignoring ignored: FileName? = nil) throws(Errno) -> FileName?
  {
    let open = try folder(number)
    for other in try index(of: number).names(like: name) where other != name && other != ignored {
      let isPending = entries[number]?.children[other].map { entries[$0]?.isOnDrive == false } ?? false
      if isPending { return other }
      if try Self.kind(of: other, in: open) != nil { return other }
      entries[number]?.index?.remove(other)
    }
    // The drive's own table of cases may join names that ours does not.
    guard rules.ignoresCase, ignored.map({ FolderIndex.key($0) != FolderIndex.key(name) }) ?? true else { return nil }
    let known = try index(of: number).names(like: name).contains(name)
    if known { return nil }
    return try Self.kind(of: name, in: open) == nil ? nil : name
  }

  mutating func index(of number: UInt64) throws(Errno) -> FolderIndex {
    if let index = entries[number]?.index { return index }
    let index = newIndex(of: number, try folder(number).descriptor.entries())
    entries[number]?.index = index
    return index
  }

  private func newIndex(of number: UInt64, _ listed: [DirectoryEntry]) -> FolderIndex {
    var index = FolderIndex(listed.lazy.map(\.name))
    for name in (entries[number]?.children ?? [:]).keys { index.insert(name) }
    return index
  }

  /// The kind of what the drive has under a name; `nil` when nothing.
  static func kind(of name: FileName, in folder: SharedDescriptor) throws(Errno) -> FileStatus.Kind? {
    do throws(Errno) { return try folder.descriptor.status(of: name).kind } catch {
      // ENAMETOOLONG, EINVAL, EILSEQ: the drive cannot have such a name.
      if [.noSuchFile, .nameTooLong, .invalid, .illegalSequence].contains(error) { return nil }
      throw error
    }
  }
}
