import DownloadCore
import Testing

@testable import swoop

@Suite struct ProgressLineTests {
  private static let gibi: Int64 = 1 << 30
  static let states = [
    Progress(done: 0, total: 1, rate: nil, connections: 0),
    Progress(done: 2 * gibi, total: 5 * gibi, rate: 77 * 1024 * 1024, connections: 8),
    Progress(done: 5 * gibi, total: 5 * gibi, rate: 1e9, connections: 64),
    Progress(done: 3, total: nil, rate: 999_999, connections: 1),
    Progress(done: .max, total: .max, rate: .infinity, connections: 64),
    Progress(done: .max, total: nil, rate: .nan, connections: 1),
    Progress(done: 10, total: 0, rate: 0, connections: 1),
    Progress(done: 1, total: .max, rate: 0.001, connections: 1),
    Progress(activity: .verifying, done: 42, total: 100, rate: 3, connections: 0),
  ]

  private static let plain = Palette(isUnicode: false, isShaded: false)

  private func line(_ progress: Progress, _ palette: Palette = Self.plain, name: String? = nil) -> ProgressLine {
    ProgressLine(progress: progress, secondsLeft: progress.secondsLeft, name: name, palette: palette)
  }

  private func text(_ progress: Progress, width: Int) -> String { line(progress).text(width: width).text }

  @Test(arguments: states)
  func isNeverWiderThanTheWindow(progress: Progress) {
    for width in 0...300 {
      for name in [nil, "name", "日本語日本語日本語日本語日本語日本語", "👩\u{200D}💻e\u{301}\u{301}\u{301}.iso\u{1B}[31m"] {
        let drawn = line(progress, name: name).text(width: width)
        #expect(drawn.columns <= width && drawn.text.utf8.count == drawn.columns)
        #expect(drawn.text.utf8.allSatisfy { 0x20..<0x7F ~= $0 })
        let unicode = line(progress, Palette(isUnicode: true, isShaded: false), name: name).text(width: width)
        #expect(unicode.columns <= width && ColumnWidth.of(unicode.text) == unicode.columns, "\(unicode)")
        #expect(unicode.text.unicodeScalars.allSatisfy { !$0.isHidden })
      }
    }
  }

  @Test func showsEverythingWhereThereIsRoom() {
    let text = text(Self.states[1], width: 100)
    #expect(text.contains(" 40% [#############"))
    #expect(text.contains("2.0 GiB / 5.0 GiB"))
    #expect(text.contains("77 MiB/s"))
    #expect(text.contains("40s left"))
    #expect(text.hasSuffix("8 connections"))
  }

  @Test func dropsFieldsAsItNarrows() {
    let progress = Self.states[1]
    #expect(text(progress, width: 65).contains("8 connections"))
    #expect(!text(progress, width: 50).contains("connections"))
    #expect(text(progress, width: 50).contains("40s left"))
    #expect(text(progress, width: 20) == " 40%    77 MiB/s")
    #expect(text(progress, width: 4) == " 40%")
  }

  @Test func showsBytesAndSpeedWhereNoTotalIsKnown() {
    #expect(text(Self.states[3], width: 80) == "3 B   977 KiB/s  1 connection")
  }

  @Test func saysThatItVerifies() {
    #expect(text(Self.states[8], width: 20) == "verifying 42%")
  }

  @Test func namesTheFileWhereThereIsRoom() {
    let named = line(Self.states[1], name: "a.iso")
    #expect(named.text(width: 80).text.hasPrefix("a.iso" + String(repeating: " ", count: 17) + " 40%  "))
    #expect(named.text(width: 39).text == "a.iso" + String(repeating: " ", count: 18) + " 40%    77 MiB/s")
  }

  /// Without names lines of several files cannot be told apart: what is said of the speed goes first.
  @Test(arguments: 8...39) func aNarrowLineHasItsName(width: Int) {
    let lines = ["a.iso", "b.iso"].map { line(Self.states[1], name: $0).text(width: width) }
    #expect(lines[0].text.hasPrefix("a") && lines[1].text.hasPrefix("b") && lines[0].text.contains(" 40%"))
    #expect(lines.allSatisfy { $0.columns <= width && $0.text.count <= width }, "\(lines)")
    #expect(lines[0].text.contains("77 MiB/s") == (width >= 26), "\(lines)")
  }

  @Test(arguments: [(0, 10, 0), (999, 1000, 99), (1000, 1000, 100), (1, 1000, 0), (2000, 1000, 100), (0, 0, 100)])
  func percentIsAHundredOnlyAtTheEnd(done: Int64, total: Int64, percent: Int) {
    #expect(Progress(done: done, total: total, rate: nil, connections: 0).percent == percent)
  }

  @Test func percentIsExactNearTheEndOfLargeFiles() {
    let progress = Progress(done: .max - 1, total: .max, rate: nil, connections: 0)
    #expect(progress.percent == 99)
  }

  @Test(arguments: [
    (0, "0s"), (59.4, "59s"), (59.6, "1m 00s"), (72, "1m 12s"), (3600, "1h 00m"), (7500, "2h 05m"), (273_600, "3d 4h"),
    (.infinity, "11574074d 1h"), (-5, "0s"),
  ])
  func durationsReadWell(seconds: Double, text: String) {
    #expect(DurationText.short(seconds) == text)
  }

  @Test(arguments: [
    (0.31, "0.31s"), (0.3, "0.3s"), (0.05, "0.05s"), (0.0537, "0.054s"), (0.0042, "0.004s"), (0, "0.001s"),
    (-1, "0.001s"), (0.0994, "0.099s"), (0.0996, "0.1s"), (0.994, "0.99s"), (0.996, "1.0s"), (4.24, "4.2s"),
    (9.96, "10s"), (12.3, "12s"),
  ])
  func shortDurationsHaveTwoDigits(seconds: Double, text: String) {
    #expect(DurationText.exact(seconds) == text)
  }
}
