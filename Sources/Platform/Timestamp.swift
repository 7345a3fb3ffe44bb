#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A point in time: seconds since 1970-01-01 UTC and nanoseconds after it (0 to 999,999,999).
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Whole seconds; negative before 1970.
  public var seconds: Int64
  /// Nanoseconds forward from `seconds`.
  public var nanoseconds: Int32

  /// Combines seconds and nanoseconds; the latter are clamped to their range.
  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = min(max(nanoseconds, 0), 999_999_999)
  }

  /// Rounds a floating count of seconds down to nanoseconds, clamped to the years 0 to 9999 so that nothing traps;
  /// `nil` when it is no number.
  public init?(secondsSince1970 value: Double) {
    guard value.isFinite else { return nil }
    let clamped = min(max(value, -62_167_219_200), 253_402_300_799)
    let whole = clamped.rounded(.down)
    self.init(seconds: Int64(whole), nanoseconds: Int32((clamped - whole) * 1e9))
  }

  /// The wall clock now.
  public static var now: Timestamp {
    var value = timespec()
    clock_gettime(CLOCK_REALTIME, &value)
    return Timestamp(value)
  }

  /// Takes over a C value.
  public init(_ value: timespec) {
    self.init(seconds: Int64(value.tv_sec), nanoseconds: Int32(truncatingIfNeeded: value.tv_nsec))
  }

  /// The C value.
  public var cValue: timespec {
    var value = timespec()
    value.tv_sec = Int(seconds)
    value.tv_nsec = Int(nanoseconds)
    return value
  }

  /// Earlier first.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

/// What a call that sets a file's times does with one of them (utimensat(2)).
public enum TimeChange: Hashable, Sendable {
  /// Leave it (UTIME_OMIT).
  case keep
  /// The time of the call (UTIME_NOW).
  case now
  /// This time.
  case set(Timestamp)

  var cValue: timespec {
    // UTIME_NOW and UTIME_OMIT of <sys/stat.h>; the values are the same in glibc's header and the kernel's.
    switch self {
    case .keep: Timestamp.special(nanoseconds: utimeOmit)
    case .now: Timestamp.special(nanoseconds: utimeNow)
    case .set(let time): time.cValue
    }
  }
}

#if os(Linux)
  private let utimeNow = (1 << 30) - 1
  private let utimeOmit = (1 << 30) - 2
#else
  private let utimeNow = -1
  private let utimeOmit = -2
#endif

extension Timestamp {
  fileprivate static func special(nanoseconds: Int) -> timespec {
    var value = Timestamp(seconds: 0).cValue
    value.tv_nsec = nanoseconds
    return value
  }
}
