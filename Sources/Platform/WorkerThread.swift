#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread of its own for work that blocks, which its owner waits for. Signals go to other threads.
public struct WorkerThread: ~Copyable, Sendable {
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private let thread: ThreadNumber

  /// A pthread_t, which is a pointer on Darwin; only handed to pthread_join.
  private struct ThreadNumber: @unchecked Sendable { let value: pthread_t }

  /// Starts `body`; EAGAIN when there can be no more threads.
  public init(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    var every = sigset_t()
    var before = sigset_t()
    sigfillset(&every)
    pthread_sigmask(SIG_SETMASK, &every, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let work = Unmanaged.passRetained(Work(body))
    #if os(Linux)
      var started = pthread_t()
      let code = pthread_create(
        &started, nil,
        { argument in
          if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
          return nil
        }, work.toOpaque())
      let made: pthread_t? = started
    #else
      var made: pthread_t?
      let code = pthread_create(
        &made, nil,
        { argument in
          Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
          return nil
        }, work.toOpaque())
    #endif
    guard code == 0, let made else {
      work.release()
      throw Errno(rawValue: code)
    }
    thread = ThreadNumber(value: made)
  }

  /// Returns when the thread has ended. To be called once, by another thread: it is not done by `deinit`, which cannot
  /// know whether the work has an end.
  public consuming func join() { pthread_join(thread.value, nil) }
}
