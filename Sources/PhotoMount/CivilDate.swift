#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
import Platform

/// The calendar day that a clock at the place of the photo showed.
struct CivilDate: Hashable {
  /// 1 to 9999, Gregorian.
  let year: Int
  /// 1 to 12.
  let month: Int

  /// `zoneOffset` in seconds east of UTC.
  init(_ time: Timestamp, zoneOffset: Int32) {
    var seconds = time_t(min(max(time.seconds, -62_135_596_800), 253_402_214_400)) + time_t(zoneOffset)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    year = min(max(Int(parts.tm_year) + 1900, 1), 9999)
    month = Int(parts.tm_mon) + 1
  }
}
