// Every call into the C library that touches files is here, so that errno, EINTR and the platforms' differences are
// dealt with once. Everything above sees typed errors.

import CPlatform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#else
  #error("Unsupported platform")
#endif

/// Repeats a call that a signal interrupted; throws the errno of one that returned -1.
@inline(__always)
func checked<I: FixedWidthInteger>(_ call: () -> I) throws(Errno) -> I {
  while true {
    let result = call()
    if result != -1 { return result }
    let error = Errno.current
    if error != .interrupted { throw error }
  }
}

func systemOpen(_ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: UInt32) throws(Errno) -> Int32
{
  try checked { openat(directory, path, flags, mode_t(mode)) }
}

/// openat2(2) with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS.
func systemOpenBeneath(
  _ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: UInt32
) throws(Errno) -> Int32 {
  #if os(Linux)
    // EAGAIN: the tree changed while the kernel walked; it says to try again.
    var attempts = 0
    while true {
      do throws(Errno) {
        return try checked { foldic_open_beneath(directory, path, flags, mode_t(mode)) }
      } catch {
        attempts += 1
        if error != .again || attempts > 100 { throw error }
      }
    }
  #else
    throw .notImplemented
  #endif
}

// close(2) is not repeated after EINTR: on Linux the descriptor is gone by then.
func systemClose(_ descriptor: Int32) throws(Errno) {
  if close(descriptor) == -1, Errno.current != .interrupted { throw Errno.current }
}

/// Waits until the data and metadata of a file are on the medium: fsync(2), on Darwin F_FULLFSYNC.
func systemSynchronize(_ descriptor: Int32) throws(Errno) {
  #if canImport(Darwin)
    // File systems without F_FULLFSYNC answer ENOTSUP; fsync is then all there is.
    if fcntl(descriptor, F_FULLFSYNC) != -1 { return }
    if Errno.current != .notSupported && Errno.current != .invalid { throw Errno.current }
  #endif
  _ = try checked { fsync(descriptor) }
}

func systemRename(
  _ oldDirectory: Int32, _ old: UnsafePointer<CChar>, _ newDirectory: Int32, _ new: UnsafePointer<CChar>,
  _ flags: UInt32
) throws(Errno) {
  #if os(Linux)
    _ = try checked { renameat2(oldDirectory, old, newDirectory, new, flags) }
  #else
    _ = try checked { renameatx_np(oldDirectory, old, newDirectory, new, flags) }
  #endif
}

func systemUpdateTimes(_ descriptor: Int32, _ accessed: TimeChange, _ modified: TimeChange) throws(Errno) {
  let times = [accessed.cValue, modified.cValue]
  _ = try checked { futimens(descriptor, times) }
}

func systemUpdateTimes(
  _ directory: Int32, _ name: UnsafePointer<CChar>, _ accessed: TimeChange, _ modified: TimeChange
) throws(Errno) {
  let times = [accessed.cValue, modified.cValue]
  _ = try checked { utimensat(directory, name, times, AT_SYMLINK_NOFOLLOW) }
}

func systemStatus(_ descriptor: Int32) throws(Errno) -> FileStatus {
  var value = stat()
  _ = try checked { fstat(descriptor, &value) }
  return FileStatus(value)
}

func systemStatus(
  _ directory: Int32, _ name: UnsafePointer<CChar>, followLinks: Bool = false
) throws(Errno) -> FileStatus {
  var value = stat()
  _ = try checked { fstatat(directory, name, &value, followLinks ? 0 : AT_SYMLINK_NOFOLLOW) }
  return FileStatus(value)
}
