#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A date and time of day of the Gregorian calendar without a zone.
public struct CivilTime: Hashable, Sendable {
  /// The year, 1 and later in texts.
  public var year: Int
  /// 1 to 12.
  public var month: Int
  /// 1 to 31.
  public var day: Int
  /// 0 to 23.
  public var hour: Int
  /// 0 to 59.
  public var minute: Int
  /// 0 to 60 (a leap second).
  public var second: Int

  /// Combines the fields as they are.
  public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// The time in the process's time zone (localtime_r); UTC when the system cannot tell.
  public init(local time: Timestamp) {
    var seconds = time_t(time.seconds)
    var fields = tm()
    if localtime_r(&seconds, &fields) == nil { gmtime_r(&seconds, &fields) }
    self.init(
      year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday),
      hour: Int(fields.tm_hour), minute: Int(fields.tm_min), second: Int(fields.tm_sec))
  }

  /// The time in UTC, by arithmetic alone; clamped to the years 0 to 9999.
  public init(utc time: Timestamp) {
    let seconds = min(max(time.seconds, -62_167_219_200), 253_402_300_799)
    let ofDay = Int(seconds - seconds.flooredQuotient(86_400) * 86_400)
    // Days are counted from 0000-03-01, so that the leap day is the last of its year; eras have 400 years.
    let days = seconds.flooredQuotient(86_400) + 719_468
    let era = days.flooredQuotient(146_097)
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    self.init(
      year: Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month: Int(month),
      day: Int(dayOfYear - (153 * shifted + 2) / 5) + 1, hour: ofDay / 3600, minute: ofDay / 60 % 60,
      second: ofDay % 60)
  }

  /// Seconds since 1970 when the fields are read as UTC.
  public var secondsAsUTC: Int64 {
    let year = Int64(month <= 2 ? self.year - 1 : self.year)
    let era = year.flooredQuotient(400)
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * Int64(month > 2 ? month - 3 : month + 9) + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return (era * 146_097 + dayOfEra - 719_468) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// Reads `2026-11-30T07:14:05`, nothing else; `nil` for fields out of range.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 19 else { return nil }
    for (index, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] where bytes[index] != mark.utf8.first {
      return nil
    }
    func number(_ range: Range<Int>) -> Int? {
      var value = 0
      for byte in bytes[range] {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      return value
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
  }
}

extension CivilTime: CustomStringConvertible {
  /// As `2026-11-30T07:14:05`.
  public var description: String {
    func padded(_ value: Int, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      + "T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
  }
}

extension Int64 {
  /// Division rounded down, also below zero.
  fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
