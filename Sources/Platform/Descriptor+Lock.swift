import CPlatform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Locks that end with the process however it ends.
extension Descriptor {
  /// Takes the lock of this file for the life of this descriptor (flock(2), exclusive); false when another holds it.
  public func tryLock() throws(Errno) -> Bool {
    do throws(Errno) {
      _ = try checked { flock(number, LOCK_EX | LOCK_NB) }
      return true
    } catch .again {
      return false
    }
  }

  /// The same, waiting until whoever has it lets go.
  public func lock() throws(Errno) { _ = try checked { flock(number, LOCK_EX) } }
}
