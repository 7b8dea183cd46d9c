import DownloadCore
import Testing

@Suite struct HTTPDateTests {
  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
      ("Thu, 29 Feb 2024 00:00:00 UTC", 1_709_164_800), ("Saturday, 01-Mar-69 00:00:00 GMT", 3_129_321_600),
      ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
      ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800), ("Sun, 6 Nov 1994 08:49:37 GMT", 784_111_777),
    ] as [(String, Int64)])
  func reads(_ text: String, _ seconds: Int64) { #expect(HTTPDate(text)?.secondsSinceEpoch == seconds) }

  @Test(arguments: [
    "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 +0000",
    "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
    "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
    "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 994 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
    "06 Nov 1994 08:49:37 GMT", "Xun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nox 1994 08:49:37 GMT",
    "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT GMT", "1994-11-06T08:49:37Z",
  ])
  func rejects(_ text: String) { #expect(HTTPDate(text) == nil) }

  @Test func earlierIsLess() {
    #expect(HTTPDate(secondsSinceEpoch: 1) < HTTPDate(secondsSinceEpoch: 2))
  }

  /// The texts that the tests below rely on.
  @Test func testsWriteTheUsualForm() {
    #expect(HTTPDate(secondsSinceEpoch: 784_111_777).text == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate(secondsSinceEpoch: -1).text == "Wed, 31 Dec 1969 23:59:59 GMT")
  }

  /// The usual form is read in a way of its own, to the same end as any other: a blank in front makes it another.
  @Test func theUsualFormIsReadAsAllAre() {
    var chance = SeededGenerator(seed: 5)
    let bytes = Array(" ,:-0123456789GMTSunNovx".utf8)
    for _ in 0..<20_000 {
      var text = Array("Sun, 28 Feb 2027 23:59:58 GMT".utf8)
      for _ in 0..<Int.random(in: 0...2, using: &chance) {
        text[.random(in: 0..<text.count, using: &chance)] = bytes.randomElement(using: &chance) ?? 0
      }
      let date = String(decoding: text, as: UTF8.self)
      guard HTTPDate(date) != HTTPDate(" " + date) else { continue }
      Issue.record("\(date)")
      return
    }
  }

  @Test func comesBackFromText() {
    var chance = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      let date = HTTPDate(secondsSinceEpoch: .random(in: -62_135_596_800...253_402_300_799, using: &chance))
      #expect(HTTPDate(date.text) == date)
    }
  }

  @Test func everyDayFollowsTheOneBefore() {
    var day = HTTPDate(secondsSinceEpoch: -100 * 366 * 86_400).text.prefix(16)
    for number in (-100 * 366 + 1)...(150 * 366) {
      let next = HTTPDate(secondsSinceEpoch: Int64(number) * 86_400).text.prefix(16)
      guard next == day || HTTPDate("\(next) 00:00:00 GMT")?.secondsSinceEpoch != Int64(number) * 86_400 else {
        day = next
        continue
      }
      Issue.record("\(day) is followed by \(next)")
      return
    }
  }

  @Test func survivesAnything() {
    var chance = SeededGenerator(seed: 4)
    let seeds = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
    for round in 0..<20_000 { _ = HTTPDate(chance.mutatedText(of: seeds[round % 3])) }
  }
}

/// The way back, for what the reader is given: eras of 400 years that begin in March.
extension HTTPDate {
  /// `Sun, 06 Nov 1994 08:49:37 GMT`.
  fileprivate var text: String {
    let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let days = Self.floorDivide(secondsSinceEpoch, 86_400)
    let time = (secondsSinceEpoch % 86_400 + 86_400) % 86_400
    let date = Self.civil(daysSinceEpoch: days)
    // 1970-01-01 was a Thursday.
    let weekday = Int((days % 7 + 11) % 7)
    let clock = [time / 3600, time / 60 % 60, time % 60].map { Self.padded($0, 2) }.joined(separator: ":")
    let day = "\(Self.padded(date.day, 2)) \(months[date.month - 1]) \(Self.padded(date.year, 4))"
    return "\(weekdays[weekday]), \(day) \(clock) GMT"
  }

  private static func civil(daysSinceEpoch days: Int64) -> (year: Int64, month: Int, day: Int64) {
    let shifted = days + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = (marchMonth + 2) % 12 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), Int(month), dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  private static func floorDivide(_ number: Int64, _ divisor: Int64) -> Int64 {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// As text.
extension HTTPDateTests {
  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
  ])
  func isWritten(seconds: Int64, text: String) {
    let date = HTTPDate(secondsSinceEpoch: seconds)
    #expect(date.text == text && HTTPDate(text) == date)
  }

  /// Each month's end, over four centuries.
  @Test func isReadAsItIsWritten() {
    for day in stride(from: Int64(-80_000), to: 120_000, by: 7) {
      let date = HTTPDate(secondsSinceEpoch: day * 86_400 + 12_345)
      #expect(HTTPDate(date.text) == date, "\(date.text)")
    }
  }
}
