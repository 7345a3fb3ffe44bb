import Platform

/// The exact modification time of a file on a drive that rounds times, kept as an attribute of its sidecar.
///
/// The attribute `org.foldicfs.mtime` is text: `SECONDS.NANOSECONDS SIZE`, seconds since 1970 UTC (negative before), nine
/// digits of nanoseconds, and the size of the file in bytes; for a folder without the size. It says what the time was when
/// foldicfs set it. Other programs change files and know nothing of it, so `believed` decides each time it is read.
public struct ExactTime: Hashable, Sendable {
  /// The name of the attribute.
  public static let attributeName = AppleDouble.privatePrefix + Array("mtime".utf8)

  /// The time to the nanosecond.
  public let time: Timestamp
  /// The size of the file that it was set for, in bytes; `nil` for a folder.
  public let size: Int64?

  /// Combines both.
  public init(time: Timestamp, size: Int64?) {
    self.time = time
    self.size = size
  }

  /// Reads the attribute's value; `nil` when it is not exactly of the form.
  public init?(attribute bytes: [UInt8]) {
    guard bytes.count <= 64, let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let fields = text.split(separator: " ", omittingEmptySubsequences: false)
    guard (1...2).contains(fields.count) else { return nil }
    let parts = fields[0].split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let seconds = Int64(parts[0]), parts[1].utf8.count == 9,
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let nanoseconds = Int32(parts[1])
    else { return nil }
    var size: Int64?
    if fields.count == 2 {
      guard let value = Int64(fields[1]), value >= 0 else { return nil }
      size = value
    }
    self.init(time: Timestamp(seconds: seconds, nanoseconds: nanoseconds), size: size)
    guard attributeValue == bytes else { return nil }
  }

  /// The attribute's value.
  public var attributeValue: [UInt8] {
    let digits = String(time.nanoseconds)
    let fraction = String(repeating: "0", count: max(0, 9 - digits.count)) + digits
    return Array("\(time.seconds).\(fraction)\(size.map { " \($0)" } ?? "")".utf8)
  }

  /// The time to show for a file whose drive says `drive` and `size` (ignored for a folder, which has none recorded).
  ///
  /// The exact time is believed when the drive's is what is left of it after the losses of exFAT and FAT:
  /// - rounding, down or up, to 10 ms, 1 s or 2 s;
  /// - a shift by whole quarters of an hour up to 26 hours, the distance of the outermost zones: these drives keep local
  ///   time, and are mounted again in another zone or after daylight saving changed (relan/exfat 200);
  /// - years that the drive cannot hold: before 1980 becomes its first moment, after 2107 its last or 128 years less.
  ///
  /// Otherwise another program has changed the file: its size or time is newer than the record, and the drive's time counts.
  public func believed(drive: Timestamp, size: Int64?) -> Timestamp {
    if let recorded = self.size, recorded != size { return drive }
    return Self.candidates(for: time).contains { Self.agrees(drive, with: $0) } ? time : drive
  }

  private static let firstYear = 1980
  private static let lastYear = 2107
  /// The longest shift between two zones, UTC-12 to UTC+14, in seconds.
  private static let longestShift: Int64 = 26 * 3600
  private static let shiftStep: Int64 = 900
  /// The coarsest rounding, of FAT, in nanoseconds.
  private static let rounding: Int64 = 2_000_000_000

  /// What a drive may make of a time before it rounds and shifts it.
  private static func candidates(for time: Timestamp) -> [Timestamp] {
    let first = CivilTime(year: firstYear, month: 1, day: 1).secondsAsUTC
    let end = CivilTime(year: lastYear + 1, month: 1, day: 1).secondsAsUTC
    var result = [time]
    if time.seconds < first + longestShift { result.append(Timestamp(seconds: first)) }
    if time.seconds >= end - longestShift {
      result.append(Timestamp(seconds: end - 1, nanoseconds: 990_000_000))
      var civil = CivilTime(utc: time)
      if civil.year > lastYear {
        civil.year = firstYear + (civil.year - firstYear) % 128
        result.append(Timestamp(seconds: civil.secondsAsUTC, nanoseconds: time.nanoseconds))
      }
    }
    return result
  }

  private static func agrees(_ drive: Timestamp, with exact: Timestamp) -> Bool {
    let (difference, overflow) = drive.seconds.subtractingReportingOverflow(exact.seconds)
    guard !overflow, difference.magnitude <= UInt64(longestShift) + 2 else { return false }
    // The distance to the nearest multiple of a quarter of an hour, in nanoseconds: at most 94,000 s, so it fits.
    let nanoseconds = difference * 1_000_000_000 + Int64(drive.nanoseconds) - Int64(exact.nanoseconds)
    let step = shiftStep * 1_000_000_000
    let shift = (nanoseconds + (nanoseconds < 0 ? -step / 2 : step / 2)) / step
    return abs(nanoseconds - shift * step) < rounding && abs(shift) <= longestShift / shiftStep
  }
}
