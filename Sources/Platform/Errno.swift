#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#else
  #error("Unsupported platform")
#endif

/// An error number of the operating system.
///
/// The names are words; the C constant stands in the comment above each.
public struct Errno: RawRepresentable, Error, Hashable, Sendable {
  /// The C value, as in `errno`.
  public let rawValue: Int32

  /// Wraps a C error number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The calling thread's `errno`.
  public static var current: Errno { Errno(rawValue: errno) }

  /// EPERM.
  public static let notPermitted = Errno(rawValue: EPERM)
  /// ENOENT.
  public static let noSuchFile = Errno(rawValue: ENOENT)
  /// EINTR.
  public static let interrupted = Errno(rawValue: EINTR)
  /// EIO.
  public static let inputOutput = Errno(rawValue: EIO)
  /// ENODEV.
  public static let noSuchDevice = Errno(rawValue: ENODEV)
  /// EBADF.
  public static let badDescriptor = Errno(rawValue: EBADF)
  /// EAGAIN.
  public static let again = Errno(rawValue: EAGAIN)
  /// ENOMEM.
  public static let outOfMemory = Errno(rawValue: ENOMEM)
  /// EACCES.
  public static let accessDenied = Errno(rawValue: EACCES)
  /// EBUSY.
  public static let busy = Errno(rawValue: EBUSY)
  /// EEXIST.
  public static let exists = Errno(rawValue: EEXIST)
  /// EXDEV.
  public static let crossDevice = Errno(rawValue: EXDEV)
  /// ENOTDIR.
  public static let notDirectory = Errno(rawValue: ENOTDIR)
  /// EISDIR.
  public static let isDirectory = Errno(rawValue: EISDIR)
  /// EINVAL.
  public static let invalid = Errno(rawValue: EINVAL)
  /// EFBIG.
  public static let fileTooLarge = Errno(rawValue: EFBIG)
  /// ENOSPC.
  public static let noSpace = Errno(rawValue: ENOSPC)
  /// EROFS.
  public static let readOnly = Errno(rawValue: EROFS)
  /// ERANGE.
  public static let range = Errno(rawValue: ERANGE)
  /// ENAMETOOLONG.
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// ENOTEMPTY.
  public static let notEmpty = Errno(rawValue: ENOTEMPTY)
  /// ELOOP.
  public static let tooManyLinks = Errno(rawValue: ELOOP)
  /// ENODATA.
  public static let noData = Errno(rawValue: ENODATA)
  /// EILSEQ.
  public static let illegalSequence = Errno(rawValue: EILSEQ)
  /// ENOTSUP.
  public static let notSupported = Errno(rawValue: ENOTSUP)
  /// ENOSYS.
  public static let notImplemented = Errno(rawValue: ENOSYS)
  /// ETIMEDOUT.
  public static let timedOut = Errno(rawValue: ETIMEDOUT)
  /// ESTALE.
  public static let stale = Errno(rawValue: ESTALE)
  /// ENOTCONN.
  public static let notConnected = Errno(rawValue: ENOTCONN)
  /// EOVERFLOW.
  public static let overflow = Errno(rawValue: EOVERFLOW)
  #if os(Linux)
    /// No such extended attribute: ENODATA on Linux.
    public static let noAttribute = noData
  #else
    /// No such extended attribute: ENOATTR on Darwin.
    public static let noAttribute = Errno(rawValue: ENOATTR)
  #endif
}

extension Errno: CustomStringConvertible {
  /// The system's words for the error, in the C locale.
  public var description: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(rawValue, &buffer, buffer.count) == 0 else { return "error \(rawValue)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
