/// How long the kernel waits for an answer of a FUSE file system before it aborts the whole connection (Linux 6.15 and
/// later, /proc/sys/fs/fuse).
public enum RequestTimeLimit {
  /// Seconds; `nil` when there is no limit or this kernel knows none.
  public static var seconds: Int? {
    // The default is what a mount gets that asks for nothing; the maximum caps it where both are set.
    let limits = ["default_request_timeout", "max_request_timeout"].compactMap { name -> Int? in
      guard let file = try? Descriptor.open("/proc/sys/fs/fuse/\(name)"),
        let bytes = try? file.read(count: 32, at: 0)
      else { return nil }
      let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      return Int(String(decoding: digits, as: UTF8.self))
    }
    return limits.filter { $0 > 0 }.min()
  }
}
