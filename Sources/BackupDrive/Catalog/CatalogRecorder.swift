import Platform
import Synchronization

/// Brings to the catalog what is committed, renamed and removed, behind the backs of those who do it: they are never kept
/// waiting and never get an error from here. Rows are written by a thread of its own, at most once a second or 200 at a
/// time, with what the drive says of the file at that moment. A process that dies loses the last second's rows, which
/// `verify` finds.
final class CatalogRecorder: Sendable {
  /// What happened on the drive, durably.
  enum Event: Sendable {
    case committed(RelativePath)
    /// Times were set.
    case touched(RelativePath)
    case moved(RelativePath, RelativePath)
    case exchanged(RelativePath, RelativePath)
    case removed(RelativePath)
  }

  private struct State: Sendable {
    var queue: [Event] = []
    var hasThread = false
    var isClosing = false
    /// The catalog failed: events are not kept any more.
    var hasGivenUp = false
    /// Events that are not in the catalog.
    var lost = 0
  }

  static let batch = 200
  /// More than a drive takes in a long hang. What comes beyond is lost to the catalog, not to the drive.
  private static let longestQueue = 50_000
  private static let pause = 1000

  private let root: SharedDescriptor
  private let log: @Sendable (String) -> Void
  private let state = Monitor(State())
  private let thread = Mutex<WorkerThread?>(nil)

  init(root: SharedDescriptor, log: @escaping @Sendable (String) -> Void) {
    self.root = root
    self.log = log
  }

  /// Takes an event; never blocks on the drive.
  func note(_ event: Event) {
    let starts = state.withLock { state in
      guard !state.hasGivenUp, !state.isClosing, state.queue.count < Self.longestQueue else {
        state.lost += 1
        return false
      }
      state.queue.append(event)
      defer { state.hasThread = true }
      return !state.hasThread
    }
    guard starts else { return }
    thread.withLock { thread in
      do throws(Errno) { thread = try WorkerThread { self.run() } } catch {
        giveUp("no thread: \(error)")
      }
    }
  }

  /// Writes what is left and ends the thread. Idempotent.
  func close() {
    state.withLock { $0.isClosing = true }
    let running = thread.withLock { thread in
      var taken: WorkerThread?
      swap(&taken, &thread)
      return taken
    }
    if let running { running.join() }
    let lost = state.withLock { state in
      defer { state.lost = 0 }
      return state.lost
    }
    if lost > 0 { markBehind() }
  }

  // MARK: - The thread

  private func run() {
    var catalog: Catalog?
    var maker = RowMaker(root: root)
    while true {
      let isOver = state.wait { state in
        state.queue.isEmpty ? (state.isClosing ? true : nil) : false
      }
      if isOver { return }
      _ = state.wait(milliseconds: Self.pause) { state in
        state.queue.count >= Self.batch || state.isClosing ? true : nil
      }
      let events = state.withLock { state in
        let events = Array(state.queue.prefix(Self.batch))
        state.queue.removeFirst(events.count)
        return events
      }
      write(events.flatMap { maker.changes($0) }, &catalog)
    }
  }

  /// Once more with a catalog opened anew: it may have been damaged, or set aside by another process.
  private func write(_ changes: [CatalogChange], _ catalog: inout Catalog?) {
    for attempt in 1...2 {
      do throws(CatalogError) {
        let open: Catalog
        if let catalog { open = catalog } else { open = try openCatalog() }
        catalog = open
        return try open.apply(changes)
      } catch {
        catalog = nil
        if attempt == 2 { giveUp("\(error)") }
      }
    }
  }

  private func openCatalog() throws(CatalogError) -> Catalog {
    let service: Descriptor
    do throws(Errno) { service = try root.descriptor.open(DriveMark.folderName, [.read, .directory]) } catch {
      throw .failed("\(error)")
    }
    let catalog = try Catalog.open(in: service)
    if let name = catalog.setAside {
      log("the catalog was damaged: kept it as .foldic/\(name) and began a new one; foldicfs verify fills it")
    }
    return catalog
  }

  private func giveUp(_ reason: String) {
    let isFirst = state.withLock { state in
      state.lost += max(1, state.queue.count)
      state.queue = []
      defer { state.hasGivenUp = true }
      return !state.hasGivenUp
    }
    guard isFirst else { return }
    log("\(reason); files are safe, foldicfs verify will bring the catalog up to date")
    markBehind()
  }

  private func markBehind() {
    do throws(Errno) {
      try Catalog.markBehind(in: try root.descriptor.open(DriveMark.folderName, [.read, .directory]))
    } catch { log("cannot even note that the catalog is behind: \(error)") }
  }
}
