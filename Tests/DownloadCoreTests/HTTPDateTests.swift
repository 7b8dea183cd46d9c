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

  @Test func writesTheUsualForm() {
    #expect("\(HTTPDate(secondsSinceEpoch: 784_111_777))" == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect("\(HTTPDate(secondsSinceEpoch: -1))" == "Wed, 31 Dec 1969 23:59:59 GMT")
    #expect(HTTPDate(secondsSinceEpoch: 1) < HTTPDate(secondsSinceEpoch: 2))
  }

  @Test func comesBackFromText() {
    var chance = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      let date = HTTPDate(secondsSinceEpoch: .random(in: -62_135_596_800...253_402_300_799, using: &chance))
      #expect(HTTPDate(date.description) == date)
    }
  }

  @Test func everyDayFollowsTheOneBefore() {
    var day = HTTPDate(secondsSinceEpoch: -100 * 366 * 86_400).description.prefix(16)
    for number in (-100 * 366 + 1)...(150 * 366) {
      let next = HTTPDate(secondsSinceEpoch: Int64(number) * 86_400).description.prefix(16)
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
    _ = (HTTPDate(secondsSinceEpoch: .max).description, HTTPDate(secondsSinceEpoch: .min).description)
  }
}
