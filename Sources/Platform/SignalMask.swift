#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Which signals reach the calling thread.
public enum SignalMask {
  /// Lets those through that ask a process to end: SIGINT, SIGTERM, SIGHUP.
  public static func unblockTermination() {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, signal) }
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}
