#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// A wish to stop, which long loops ask for at least every 100 items and every chunk. Any thread.
public final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  /// Nobody has asked to stop yet.
  public init() {}

  /// The one that SIGINT and SIGTERM set, see `installHandlers()`.
  public static let process = Cancellation()

  /// Whether to stop. Once true it stays true.
  public var isCancelled: Bool { flag.load(ordering: .acquiring) }

  /// Asks to stop. Safe in a signal handler: one atomic store.
  public func cancel() { flag.store(true, ordering: .releasing) }

  /// From now on SIGINT and SIGTERM only set `process`, however often they come; nothing is cut off in its middle.
  public static func installHandlers() {
    // Made here: a signal handler must not be the first to ask for it.
    _ = process
    SignalMask.unblockTermination()
    var action = sigaction()
    #if os(Linux)
      action.__sigaction_handler.sa_handler = { _ in Cancellation.process.cancel() }
    #else
      action.__sigaction_u.__sa_handler = { _ in Cancellation.process.cancel() }
    #endif
    sigemptyset(&action.sa_mask)
    for signal in [SIGINT, SIGTERM] { sigaction(signal, &action, nil) }
  }

  /// Sleeps for some milliseconds, or until somebody asks to stop (noticed within 20 ms).
  public func sleep(milliseconds: Int) {
    let end = MonotonicTime.now.advanced(byMilliseconds: milliseconds)
    while !isCancelled, MonotonicTime.now < end {
      var pause = timespec(tv_sec: 0, tv_nsec: 20_000_000)
      nanosleep(&pause, nil)
    }
  }
}

/// A point on a clock that never goes back and knows no date.
public struct MonotonicTime: Comparable, Sendable {
  /// Nanoseconds since some moment.
  public let nanoseconds: Int64

  /// The clock now.
  public static var now: MonotonicTime {
    var value = timespec()
    clock_gettime(CLOCK_MONOTONIC, &value)
    return MonotonicTime(nanoseconds: Int64(value.tv_sec) * 1_000_000_000 + Int64(value.tv_nsec))
  }

  /// A later point.
  public func advanced(byMilliseconds count: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: nanoseconds + Int64(count) * 1_000_000)
  }

  /// Milliseconds from an earlier point to this one.
  public func milliseconds(since earlier: MonotonicTime) -> Int { Int((nanoseconds - earlier.nanoseconds) / 1_000_000) }

  /// Earlier first.
  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }
}
