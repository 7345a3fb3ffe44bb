import CPlatform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Space and content of an open file, and the file system that it is on.
extension Descriptor {
  /// The file system's name as the kernel's table of mounts has it (`ext4`, `fuseblk`, `apfs`); `nil` when unknown.
  public func fileSystemType() -> String? {
    #if os(Linux)
      // The mount's number is surer than the device's: btrfs shows other device numbers in stat than in the table.
      guard let information = try? Descriptor.open("/proc/self/fdinfo/\(number)").read(count: 4096, at: 0),
        let line = information.split(separator: UInt8(ascii: "\n")).first(where: { $0.starts(with: "mnt_id:".utf8) }),
        let mount = line.split(whereSeparator: { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }).last
      else { return nil }
      let identifier = UInt64(String(decoding: mount, as: UTF8.self))
      return try? MountTable.current().first { $0.identifier == identifier }?.type
    #else
      var value = statfs()
      guard fstatfs(number, &value) == 0 else { return nil }
      return withUnsafeBytes(of: &value.f_fstypename) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
    #endif
  }

  /// Sees to it that space for a range is there (fallocate(2)); ENOTSUP where the file system cannot.
  public func preallocate(offset: Int64, length: Int64, keepSize: Bool) throws(Errno) {
    #if os(Linux)
      _ = try checked { fallocate(number, keepSize ? FOLDIC_FALLOC_FL_KEEP_SIZE : 0, off_t(offset), off_t(length)) }
    #else
      throw .notSupported
    #endif
  }

  /// Begins to write a range out to the medium without waiting for it (sync_file_range(2)); nothing where the system or
  /// the file system has no such call.
  public func beginWriteback(offset: Int64, length: Int64) throws(Errno) {
    #if os(Linux)
      do throws(Errno) {
        _ = try checked { sync_file_range(number, off_t(offset), off_t(length), FOLDIC_SYNC_FILE_RANGE_WRITE) }
      } catch  where error == .notImplemented || error == .invalid || error.rawValue == ESPIPE {
        return
      }
    #endif
  }

  /// Sets the permission bits.
  public func setPermissions(_ bits: UInt32) throws(Errno) { _ = try checked { fchmod(number, mode_t(bits & 0o7777)) } }

  /// Makes this empty file a copy of the first `length` bytes of `source` (fewer when it is shorter): shares the blocks
  /// where the file system can, else copies within the kernel, else through a buffer.
  public func copyContents(of source: borrowing Descriptor, length: Int64) throws(Errno) {
    var position: Int64 = 0
    #if os(Linux)
      if foldic_clone(number, source.number) == 0 {
        if try status().size > length { try truncate(to: length) }
        return
      }
      let from = source.number
      while position < length {
        var read = off_t(position)
        var write = off_t(position)
        let rest = Int(min(length - position, 1 << 30))
        do throws(Errno) {
          let copied = try checked { copy_file_range(from, &read, number, &write, rest, 0) }
          if copied == 0 { break }
          position += Int64(copied)
        } catch {
          // Each file system refuses in its own way what it cannot do; the plain copy below gives the true error.
          break
        }
      }
    #endif
    while position < length {
      let chunk = try source.read(count: Int(min(length - position, 1 << 20)), at: position)
      if chunk.isEmpty { return }
      try write(chunk, at: position)
      position += Int64(chunk.count)
    }
  }
}
