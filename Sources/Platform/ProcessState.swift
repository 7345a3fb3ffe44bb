/// What the system tells of another process.
public enum ProcessState {
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
