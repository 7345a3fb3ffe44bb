import CPlatform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Going into the background so that the command returns when the work is ready, or has failed.
public final class Daemon: Sendable {
  private let readiness: Descriptor

  /// Forks. In the parent this waits until the child is ready or has ended and leaves the process with 0 or the child's
  /// exit code. It returns in the child only, which keeps the terminal's error stream until `becomeReady`.
  ///
  /// To be called while the process has one thread.
  public static func start() throws(Errno) -> Daemon {
    var ends: [Int32] = [-1, -1]
    _ = try checked { pipe(&ends) }
    let reader = Descriptor(owning: ends[0])
    let writer = Descriptor(owning: ends[1])
    for end in ends { _ = try checked { fcntl(end, F_SETFD, FD_CLOEXEC) } }
    let child = foldic_fork()
    guard child >= 0 else { throw .current }
    if child == 0 {
      setsid()
      return Daemon(readiness: writer)
    }
    exit(code(of: child, reader, closing: writer))
  }

  private static func code(
    of child: pid_t, _ reader: borrowing Descriptor, closing writer: consuming Descriptor
  ) -> Int32 {
    _ = consume writer  // Else its own copy would keep the pipe open for ever.
    var byte: UInt8 = 0
    let number = reader.number
    let count = (try? checked { read(number, &byte, 1) }) ?? 0
    if count == 1 { return 0 }
    var status: Int32 = 0
    guard (try? checked { waitpid(child, &status, 0) }) == child else { return 1 }
    let code = ProcessExit.code(of: status)
    return code == 0 ? 1 : code  // Ended before it was ready.
  }

  private init(readiness: consuming Descriptor) { self.readiness = readiness }

  /// Lets the parent go, with success. Input and output now lead nowhere, and the folder is the root, so that no drive is
  /// kept busy.
  public func becomeReady() throws(Errno) {
    guard chdir("/") == 0 else { throw .current }
    let null = try Descriptor.open("/dev/null", .readWrite)
    for stream: Int32 in 0...2 { _ = try checked { dup2(null.number, stream) } }
    let number = readiness.number
    var byte: UInt8 = 1
    _ = try checked { write(number, &byte, 1) }
  }
}
