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

  /// Lets go of the lock at once: a process that was just forked has the descriptor too, and with it the lock, until it
  /// begins its program.
  public func unlock() { _ = try? checked { flock(number, LOCK_UN) } }

  /// As `tryLock`, waiting until whoever has it lets go.
  public func lock() throws(Errno) { _ = try checked { flock(number, LOCK_EX) } }
}
