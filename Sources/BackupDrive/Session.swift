import Platform
import Synchronization

/// This process's place on the drive: a folder for pending versions, locked as long as it is used.
final class Session: Sendable {
  static let temporaryName: FileName = FileName("tmp")
  static let intentsName: FileName = FileName("intents")
  static let lockName: FileName = FileName("lock")

  /// 16 hex digits.
  let name: FileName
  /// `.foldic/tmp/NAME`.
  let folder: SharedDescriptor
  /// `.foldic/tmp`.
  let temporaries: SharedDescriptor
  /// `.foldic/intents`.
  let intents: SharedDescriptor
  /// Replacements whose record and old file are still there.
  let unfinished = Monitor<[UnfinishedReplacement]>([])
  private let lock: Mutex<Descriptor?>
  private let count = Atomic<UInt64>(0)

  /// Repairs and removes what dead sessions left, then makes a session. `step` is called before each change of the
  /// repair.
  init(
    service: borrowing Descriptor, root: SharedDescriptor, hasJournal: Bool, log: @escaping @Sendable (String) -> Void,
    step: @escaping RecoveryStep
  ) throws(Errno) {
    temporaries = SharedDescriptor(try Self.ensureFolder(Self.temporaryName, in: service))
    intents = SharedDescriptor(try Self.ensureFolder(Self.intentsName, in: service))
    // Held only here: nobody takes a session for dead that is just being made.
    let guardFile = try temporaries.descriptor.open(Self.lockName, [.readWrite, .create], mode: 0o644)
    try guardFile.lock()
    try Recovery(
      root: root, temporaries: temporaries, intents: intents, hasJournal: hasJournal, log: log, step: step
    ).run()
    guard let name = FileName(RandomID.hex(16)) else { throw .invalid }
    self.name = name
    try temporaries.descriptor.makeDirectory(name, mode: 0o755)
    // Records lead to files in it: it must be there after a power cut.
    try temporaries.descriptor.synchronize()
    folder = SharedDescriptor(try temporaries.descriptor.open(name, [.read, .directory]))
    let lock = try folder.descriptor.open(Self.lockName, [.readWrite, .create, .exclusive], mode: 0o644)
    guard try lock.tryLock() else { throw .again }
    self.lock = Mutex(consume lock)
  }

  static func ensureFolder(_ name: FileName, in parent: borrowing Descriptor) throws(Errno) -> Descriptor {
    do throws(Errno) { return try parent.open(name, [.read, .directory]) } catch {
      guard error == .noSuchFile else { throw error }
    }
    do throws(Errno) { try parent.makeDirectory(name, mode: 0o755) } catch .exists {}
    try parent.synchronize()
    return try parent.open(name, [.read, .directory])
  }

  /// A number that this session never gave before.
  func nextNumber() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).newValue }

  /// The name of a new file in `folder`.
  func temporaryName() throws(Errno) -> FileName {
    guard let name = FileName(String(nextNumber())) else { throw .invalid }
    return name
  }

  /// An empty pending version.
  func newVersion() throws(Errno) -> PendingVersion {
    let name = try temporaryName()
    let file = try folder.descriptor.open(name, [.readWrite, .create, .exclusive], mode: 0o644)
    return PendingVersion(file: SharedDescriptor(file), name: name)
  }

  /// Removes a version's file; what holds it open goes on.
  func discard(_ version: PendingVersion) { try? folder.descriptor.removeFile(version.name) }

  /// Removes the folder and what is in it.
  func end() {
    for entry in (try? folder.descriptor.entries()) ?? [] where entry.name != Self.lockName {
      try? folder.descriptor.removeFile(entry.name)
    }
    // Let go before it is removed: a FUSE driver keeps an open file in the folder, which then cannot go. Nobody else
    // takes the session for dead meanwhile.
    let guardFile = try? temporaries.descriptor.open(Self.lockName, .readWrite)
    try? guardFile?.lock()
    lock.withLock { $0 = nil }
    try? folder.descriptor.removeFile(Self.lockName)
    removeFolder()
  }

  /// A FUSE driver lets go of closed files a moment later; what stays all the same goes at the next start.
  private func removeFolder() {
    for _ in 0..<50 {
      do throws(Errno) { return try temporaries.descriptor.removeDirectory(name) } catch .notEmpty {
        Cancellation().sleep(milliseconds: 10)
      } catch { return }
    }
  }
}
