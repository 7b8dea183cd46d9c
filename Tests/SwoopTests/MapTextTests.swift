import DownloadCore
import Testing

@testable import swoop

@Suite struct MapTextTests {
  /// Of 80 bytes these are here: 0 to 20 from before, 40 to 55 new.
  private static let progress: Progress = {
    var map = FileMap(length: 80)!
    map.add(ByteRange(0, 20))
    map.inheritAll()
    map.add(ByteRange(40, 55))
    return Progress(done: 35, total: 80, rate: nil, connections: 2, map: map)
  }()

  private func text(_ columns: Int, _ isUnicode: Bool, _ isShaded: Bool) -> String {
    MapText(palette: Palette(isUnicode: isUnicode, isShaded: isShaded)).text(Self.progress.cells(columns) ?? [])
  }

  @Test func whatWasHereBeforeHasAnotherShade() {
    #expect(text(8, true, true) == "\u{1B}[2m██\u{1B}[0m··█▌··")
    #expect(text(4, true, true) == "\u{1B}[2m█\u{1B}[0m·▊·")
  }

  @Test func withoutShadesItHasAnotherCharacter() {
    #expect(text(8, true, false) == "▒▒··█▌··")
    #expect(text(8, false, false) == "==--#+--")
    #expect(text(8, false, true) == "==--#+--")
  }

  /// No cell is full before its last byte, and none empty after its first.
  @Test(arguments: [(0, "·"), (1, "▏"), (799, "▉"), (800, "█"), (500, "▋"), (99, "▏"), (100, "▏"), (200, "▎")])
  func aCellFills(bytes: Int64, character: String) throws {
    var map = try #require(FileMap(length: 800))
    map.add(ByteRange(0, bytes))
    #expect(MapText(palette: Palette(isUnicode: true, isShaded: true)).text(map.cells(1)) == character)
  }

  @Test func withoutAMapItFillsFromTheFront() {
    let verifying = Progress(
      activity: .verifying, done: 20, total: 80, rate: nil, connections: 0, map: Self.progress.map)
    let text = MapText(palette: Palette(isUnicode: false, isShaded: false)).text(verifying.cells(8) ?? [])
    #expect(text == "##------")
    #expect(Progress(done: 1, total: nil, rate: nil, connections: 1).cells(8) == nil)
    #expect(Progress(done: 0, total: 0, rate: nil, connections: 1).cells(8) == nil)
    #expect(Progress(done: 99, total: 9, rate: nil, connections: 1).cells(1)?.first?.share == 1)
  }
}

@Suite struct PaletteTests {
  @Test(
    arguments: [
      (["LANG": "en_US.UTF-8"], true), (["LANG": "de_DE.utf8@euro"], true),
      (["LC_ALL": "C", "LANG": "en_US.UTF-8"], false),
      (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"], true), (["LC_CTYPE": "POSIX", "LANG": "C.UTF-8"], false),
      (["LANG": "ja_JP.eucJP"], false), (["LANG": "en_US"], false), ([:], false), (["LANG": "utf-8"], false),
      (["LC_MESSAGES": "C.UTF-8"], false),
    ] as [([String: String], Bool)])
  func theCharsetIsTheLocales(variables: [String: String], isUnicode: Bool) {
    #expect(Palette { variables[$0] }.isUnicode == isUnicode)
  }

  @Test func noColorForbidsShades() {
    #expect(Palette { _ in nil }.isShaded)
    #expect(Palette { $0 == "NO_COLOR" ? "" : nil }.isShaded)
    #expect(!Palette { $0 == "NO_COLOR" ? "1" : nil }.isShaded)
  }

  @Test func someTerminalsCutLinesOff() {
    #expect(Terminal.reflows { _ in nil })
    #expect(!Terminal.reflows { ["XTERM_VERSION": "XTerm(379)"][$0] })
    #expect(!Terminal.reflows { ["TERM": "linux"][$0] })
    #expect(!Terminal.reflows { ["STY": "1.pts"][$0] })
    #expect(Terminal.reflows { ["XTERM_VERSION": "XTerm(379)", "TMUX": "/tmp/x"][$0] })
  }
}

@Suite struct ColumnWidthTests {
  @Test(
    arguments: [
      ("abc", 5, "abc  "), ("abcdef", 5, "abcd…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日… "),
      ("", 3, "   "), ("abc", 0, ""), ("abc", 1, "…"),
    ])
  func namesAreCutAndFilled(name: String, columns: Int, text: String) {
    #expect(ColumnWidth.fit(name, to: columns, isUnicode: true) == text)
  }

  @Test func asciiStandsForAllElse() {
    #expect(ColumnWidth.fit("né日本.iso", to: 9, isUnicode: false) == "n???.iso ")
    #expect(ColumnWidth.fit("日本語日本語", to: 4, isUnicode: false) == "???~")
  }

  /// wcwidth(3) never says more than we do.
  @Test(arguments: ["é", "e\u{301}", "日", "한", "🎉", "👩🏽", "🇩🇪", "ｱ", "Ａ", "a\u{20E3}", "…", "█", "▏", "–", "ẞ"])
  func isNeverTooLittle(character: String) {
    let least = character.unicodeScalars.first!.value >= 0x1F000 || "日한Ａ".contains(character) ? 2 : 1
    #expect(ColumnWidth.of(character) >= least)
  }
}

@Suite struct TimeLeftTests {
  @Test func doesNotJump() {
    var time = TimeLeft()
    let first = time.update(60, at: 0)
    #expect(first == 60)
    // A speed that jumps by a half to and fro: what is shown stays near the middle.
    var shown: [Double] = []
    for tick in 1...100 {
      let now = Double(tick) / 10
      shown.append((time.update((60 - now) * (tick % 2 == 0 ? 1.2 : 0.8), at: now) ?? 0) + now)
    }
    #expect(shown.allSatisfy { (54...66).contains($0) }, "\(shown)")
  }

  @Test func followsALastingChange() {
    var time = TimeLeft()
    _ = time.update(60, at: 0)
    for tick in 1...200 { _ = time.update(30 - Double(tick) / 10, at: Double(tick) / 10) }
    let left = time.update(9.9, at: 20.1) ?? 0
    #expect((9...11).contains(left), "\(left)")
  }

  @Test func isNeverFarFromTheTruth() {
    var time = TimeLeft()
    _ = time.update(1000, at: 0)
    let shown = [time.update(10, at: 0.1), time.update(nil, at: 0.2), time.update(7, at: 0.3)]
    #expect(shown == [20, nil, 7])
  }
}
