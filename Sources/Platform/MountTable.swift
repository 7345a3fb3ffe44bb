/// One mounted file system, as /proc/self/mountinfo shows it (proc(5)).
public struct MountedFileSystem: Hashable, Sendable {
  /// The mount's own number, as in /proc/PID/fdinfo.
  public let identifier: UInt64
  /// Major and minor number of the device, which st_dev of its files holds.
  public let device: UInt64
  /// Where it is mounted, as bytes.
  public let mountpoint: [UInt8]
  /// The type: `ext4`, `fuseblk`, `fuse.foldicfs`.
  public let type: String
  /// What is mounted.
  public let source: [UInt8]
}

/// The file systems that this process sees.
public enum MountTable {
  /// All of them, in the order of mounting; empty where there is no such table (other systems than Linux).
  public static func current() throws(Errno) -> [MountedFileSystem] {
    #if os(Linux)
      let file = try Descriptor.open("/proc/self/mountinfo")
      var text: [UInt8] = []
      while true {
        let part = try file.read(count: 65536, at: Int64(text.count))
        if part.isEmpty { break }
        text += part
      }
      return text.split(separator: UInt8(ascii: "\n")).compactMap(parse)
    #else
      return []
    #endif
  }

  /// The last one mounted at exactly this absolute path. Nothing is opened there, so a dead mount cannot hold it up.
  public static func fileSystem(mountedAt path: String) throws(Errno) -> MountedFileSystem? {
    try current().last { $0.mountpoint == Array(path.utf8) }
  }

  /// The one that holds files of a device number.
  public static func fileSystem(ofDevice device: UInt64) throws(Errno) -> MountedFileSystem? {
    try current().last { $0.device == device }
  }

  // 36 35 98:0 /root /mountpoint rw,noatime master:1 - ext3 /dev/root rw,errors=continue
  static func parse(_ line: some Collection<UInt8>) -> MountedFileSystem? {
    let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard let dash = fields.firstIndex(where: { Array($0) == [UInt8(ascii: "-")] }), dash >= 6, fields.count > dash + 2
    else { return nil }
    let numbers = fields[2].split(separator: UInt8(ascii: ":")).map { UInt64(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count == 2, let major = numbers[0], let minor = numbers[1],
      let identifier = UInt64(String(decoding: fields[0], as: UTF8.self))
    else { return nil }
    return MountedFileSystem(
      identifier: identifier,
      device: makeDevice(major: major, minor: minor), mountpoint: unescape(fields[4]),
      type: String(decoding: fields[dash + 1], as: UTF8.self), source: unescape(fields[dash + 2]))
  }

  /// glibc's layout of dev_t, see makedev(3).
  private static func makeDevice(major: UInt64, minor: UInt64) -> UInt64 {
    (major & 0xFFFF_F000) << 32 | (major & 0xFFF) << 8 | (minor & 0xFFFF_FF00) << 12 | minor & 0xFF
  }

  /// Blanks and backslashes stand as three octal digits.
  private static func unescape(_ field: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(field)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let digits = bytes[(index + 1)...].prefix(3)
      if bytes[index] == UInt8(ascii: "\\"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        result.append(value)
        index += 4
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }
}
