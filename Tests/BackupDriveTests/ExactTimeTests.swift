import Platform
import Testing

@testable import BackupDrive

@Suite("ExactTime: which modification time to believe")
struct ExactTimeTests {
  private let exact = Timestamp(seconds: 1_700_000_001, nanoseconds: 987_654_321)

  private func believes(_ drive: Timestamp, _ time: Timestamp? = nil, size: Int64? = 10) -> Bool {
    let record = ExactTime(time: time ?? exact, size: 10)
    return record.believed(drive: drive, size: size) == record.time
  }

  // rsync 245: a second run copies all again, since the drive rounds times.
  @Test(
    arguments: [
      (1_700_000_001, 980_000_000),  // 10 ms, exFAT.
      (1_700_000_001, 0),  // 1 s, exfat-fuse.
      (1_700_000_000, 0),  // 2 s, FAT.
      (1_700_000_002, 0),  // Rounded up.
      (1_700_000_001, 987_654_321),  // Not rounded.
    ] as [(Int64, Int32)])
  func aRoundedTimeIsTheSame(seconds: Int64, nanoseconds: Int32) {
    #expect(believes(Timestamp(seconds: seconds, nanoseconds: nanoseconds)))
  }

  // relan/exfat 200: daylight saving and moved time zones.
  @Test(arguments: [-93_600, -43_200, -36_000, -3600, -900, 900, 3600, 20_700, 45_900, 93_600] as [Int64])
  func aTimeShiftedByAZoneIsTheSame(shift: Int64) {
    #expect(believes(Timestamp(seconds: 1_700_000_001 + shift)))
    #expect(believes(Timestamp(seconds: 1_700_000_000 + shift)))
  }

  @Test(arguments: [-93_600 - 900, -1000, -450, -4, 3, 60, 450, 899 - 3, 1000, 94_500, 1_000_000] as [Int64])
  func anotherTimeIsTheDrives(shift: Int64) {
    let drive = Timestamp(seconds: 1_700_000_001 + shift, nanoseconds: 987_654_321)
    #expect(ExactTime(time: exact, size: 10).believed(drive: drive, size: 10) == drive)
  }

  @Test func anotherSizeIsAnotherFile() {
    #expect(!believes(Timestamp(seconds: 1_700_000_001), size: 11))
    let folder = ExactTime(time: exact, size: nil)
    #expect(folder.believed(drive: Timestamp(seconds: 1_700_000_001), size: 4096) == exact)
  }

  @Test func yearsThatTheDriveCannotHoldComeBack() throws {
    func utc(_ text: String) throws -> Timestamp { Timestamp(seconds: try #require(CivilTime(text)).secondsAsUTC) }
    #expect(try believes(utc("1980-01-01T00:00:00"), utc("1966-07-30T15:00:00")))
    #expect(try believes(utc("1979-12-31T22:00:00"), utc("1966-07-30T15:00:00")))
    #expect(try believes(utc("2000-05-06T07:08:08"), utc("2128-05-06T07:08:09")))
    #expect(try believes(utc("2107-12-31T23:59:58"), utc("2128-05-06T07:08:09")))
    #expect(try !believes(utc("2024-05-06T07:08:08"), utc("2128-05-06T07:08:09")))
    #expect(try !believes(utc("1981-01-01T00:00:00"), utc("1966-07-30T15:00:00")))
  }

  @Test func extremesDoNotTrap() {
    for seconds in [Int64.min, .min + 1, -1, 0, .max - 1, .max] {
      for other in [Int64.min, -1, 0, 1 << 62, .max] {
        let record = ExactTime(time: Timestamp(seconds: seconds, nanoseconds: 1), size: nil)
        let drive = Timestamp(seconds: other)
        #expect([record.time, drive].contains(record.believed(drive: drive, size: nil)))
      }
    }
  }

  @Test(arguments: [
    "1700000001.987654321 10", "-1.000000001 0", "0.000000000", "-9223372036854775808.999999999 9223372036854775807",
  ])
  func theAttributeIsReadAsItIsWritten(text: String) throws {
    #expect(try #require(ExactTime(attribute: text.bytes)).attributeValue == text.bytes)
  }

  @Test(arguments: [
    "", "1", "1.", "1.1", "1.1234567890", "+1.000000000", "1.00000000x", "1.+00000000", "1.000000000 ",
    "1.000000000 -1", "1.000000000 1 1", "01.000000000", "1.000000000 1\n", "99999999999999999999.000000000",
  ])
  func anythingElseIsNoTime(text: String) {
    #expect(ExactTime(attribute: text.bytes) == nil)
  }
}

@Suite("CivilTime")
struct CivilTimeTests {
  @Test func daysAreCountedThroughLeapYears() throws {
    for (text, seconds) in [
      ("1970-01-01T00:00:00", 0), ("2000-02-29T12:00:00", 951_825_600), ("1969-12-31T23:59:59", -1),
      ("2100-03-01T00:00:00", 4_107_542_400), ("1601-01-01T00:00:00", -11_644_473_600),
    ] as [(String, Int64)] {
      let time = try #require(CivilTime(text))
      #expect(time.secondsAsUTC == seconds)
      #expect(CivilTime(utc: Timestamp(seconds: seconds)).description == text)
    }
  }

  @Test func everyDayOfFourCenturiesComesBack() {
    var seconds: Int64 = -11_644_473_600
    for _ in 0..<146_097 {
      #expect(CivilTime(utc: Timestamp(seconds: seconds)).secondsAsUTC == seconds)
      seconds += 86_400
    }
  }

  @Test(arguments: [
    "", "2026-11-30", "2026-13-30T00:00:00", "2026-11-32T00:00:00", "2026-11-30T24:00:00", "2026-11-30 00:00:00",
    "2026-11-30T00:00:00Z", "+026-11-30T00:00:00", "２０２６-11-30T00:00",
  ])
  func anotherFormIsRefused(text: String) { #expect(CivilTime(text) == nil) }
}
