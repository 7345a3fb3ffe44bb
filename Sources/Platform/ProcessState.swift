#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the system tells of processes.
public enum ProcessState {
  /// This process's number.
  public static var ownNumber: Int32 { getpid() }

  /// Whether a process is there and has not ended (one that has, and that its parent has not asked for, is over).
  public static func isRunning(_ process: Int32) -> Bool {
    #if os(Linux)
      guard process > 0, let file = try? Descriptor.open("/proc/\(process)/stat"),
        let text = try? file.read(count: 1024, at: 0), let end = text.lastIndex(of: UInt8(ascii: ")"))
      else { return false }
      let state = text[(end + 1)...].split(separator: UInt8(ascii: " ")).first
      return state.map { Array($0) != [UInt8(ascii: "Z")] && Array($0) != [UInt8(ascii: "X")] } ?? false
    #else
      return process > 0 && kill(process, 0) == 0
    #endif
  }

  /// Whether the thread is on its way out because of a signal that nobody caught (PF_SIGNALED of <linux/sched.h>, in the
  /// 9th field of /proc/PID/stat; see proc(5)). `false` when it cannot be known: another PID namespace, another system.
  public static func wasKilled(_ thread: Int32) -> Bool {
    #if os(Linux)
      guard thread > 0, let file = try? Descriptor.open("/proc/\(thread)/stat"),
        let text = try? file.read(count: 1024, at: 0),
        // The second field is the program's name in parentheses and may hold anything.
        let end = text.lastIndex(of: UInt8(ascii: ")"))
      else { return false }
      let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
      guard fields.count > 6, let flags = UInt32(String(decoding: fields[6], as: UTF8.self)) else { return false }
      return flags & 0x400 != 0
    #else
      return false
    #endif
  }
}
