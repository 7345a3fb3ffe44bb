import CPlatform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Extended attributes of an open file or folder, under the names that the system uses (`user.…` on Linux).
extension Descriptor {
  /// What setting an attribute does when it is there already, or not (setxattr(2)).
  public enum AttributeRule: Sendable {
    /// Makes or replaces it.
    case either
    /// EEXIST when it is there.
    case create
    /// ENODATA when it is not there.
    case replace
  }

  /// An attribute's value; `nil` when there is none. ENOTSUP where the file system has no attributes.
  public func attribute(_ name: [UInt8]) throws(Errno) -> [UInt8]? {
    do throws(Errno) {
      return try name.withNULTerminated { (text) throws(Errno) in
        try Self.sized { buffer in
          #if os(Linux)
            fgetxattr(number, text, buffer.baseAddress, buffer.count)
          #else
            fgetxattr(number, text, buffer.baseAddress, buffer.count, 0, 0)
          #endif
        }
      }
    } catch .noAttribute {
      return nil
    }
  }

  /// The names of all attributes that the system shows.
  public func attributeNames() throws(Errno) -> [[UInt8]] {
    let list = try Self.sized { buffer in
      let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      #if os(Linux)
        return flistxattr(number, start, buffer.count)
      #else
        return flistxattr(number, start, buffer.count, 0)
      #endif
    }
    return list.split(separator: 0).map(Array.init)
  }

  /// Sets an attribute.
  public func setAttribute(_ name: [UInt8], to value: [UInt8], _ rule: AttributeRule = .either) throws(Errno) {
    // XATTR_CREATE and XATTR_REPLACE of <sys/xattr.h>.
    #if os(Linux)
      let flags: Int32 = rule == .create ? 1 : rule == .replace ? 2 : 0
    #else
      let flags: Int32 = rule == .create ? 2 : rule == .replace ? 4 : 0
    #endif
    _ = try name.withNULTerminated { (text) throws(Errno) in
      try checked {
        value.withUnsafeBytes { raw in
          #if os(Linux)
            fsetxattr(number, text, raw.baseAddress, raw.count, flags)
          #else
            fsetxattr(number, text, raw.baseAddress, raw.count, 0, flags)
          #endif
        }
      }
    }
  }

  /// Removes an attribute; ENODATA when there is none.
  public func removeAttribute(_ name: [UInt8]) throws(Errno) {
    _ = try name.withNULTerminated { (text) throws(Errno) in
      try checked {
        #if os(Linux)
          fremovexattr(number, text)
        #else
          fremovexattr(number, text, 0)
        #endif
      }
    }
  }

  /// Asks for the length, then for the bytes; again when they have grown in between (ERANGE).
  private static func sized(_ call: (UnsafeMutableRawBufferPointer) -> Int) throws(Errno) -> [UInt8] {
    while true {
      let size = try checked { call(UnsafeMutableRawBufferPointer(start: nil, count: 0)) }
      if size == 0 { return [] }
      var bytes = [UInt8](repeating: 0, count: size)
      do throws(Errno) {
        let filled = try checked { bytes.withUnsafeMutableBytes { call($0) } }
        bytes.removeLast(size - filled)
        return bytes
      } catch .range {
        continue
      }
    }
  }
}
