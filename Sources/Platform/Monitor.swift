#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A value behind a lock whose changes can be waited for: what `Mutex` cannot do.
///
/// Any thread may call; a call blocks its thread, so never from the concurrency pool. The lock is not recursive: a body
/// must not call the same monitor again.
///
/// Inlinable, since an unspecialised generic call builds its types anew each time, which shows in writes.
///
/// `@unchecked Sendable`: `state` is only touched between lock and unlock of `mutex`.
public final class Monitor<State: Sendable>: @unchecked Sendable {
  @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  @usableFromInline let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  @usableFromInline var state: State

  /// Puts a value behind a new lock.
  public init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    #if os(Linux)
      // So that a timed wait does not depend on the date.
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(changed, &attributes)
      pthread_condattr_destroy(&attributes)
    #else
      pthread_cond_init(changed, nil)
    #endif
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Calls `body` alone with the value, then wakes whoever waits for a change.
  @inlinable
  public func withLock<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return try body(&state)
  }

  /// Calls `attempt` until it gives a result, sleeping in between until the value may have changed.
  @inlinable
  public func wait<R, E: Error>(_ attempt: (inout State) throws(E) -> R?) throws(E) -> R {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    while true {
      if let result = try attempt(&state) { return result }
      pthread_cond_wait(changed, mutex)
    }
  }

  /// The same, for some milliseconds at most; `nil` when `attempt` gave no result by then.
  public func wait<R, E: Error>(
    milliseconds: Int, _ attempt: (inout State) throws(E) -> R?
  ) throws(E) -> R? {
    let end = MonotonicTime.now.advanced(byMilliseconds: milliseconds)
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    while true {
      if let result = try attempt(&state) { return result }
      let rest = end.nanoseconds - MonotonicTime.now.nanoseconds
      guard rest > 0 else { return nil }
      #if os(Linux)
        var until = timespec(
          tv_sec: Int(end.nanoseconds / 1_000_000_000), tv_nsec: Int(end.nanoseconds % 1_000_000_000))
        pthread_cond_timedwait(changed, mutex, &until)
      #else
        var span = timespec(tv_sec: Int(rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
        pthread_cond_timedwait_relative_np(changed, mutex, &span)
      #endif
    }
  }
}
