import DownloadCore
import TestSupport
import Testing

@testable import swoop

/// What a terminal shows after all that is written to it.
@Suite struct PanelTests {
  private static let palettes = [
    Palette(isUnicode: true, isShaded: true), Palette(isUnicode: true, isShaded: false),
    Palette(isUnicode: false, isShaded: false),
  ]

  private func progress(_ done: Int64, of total: Int64?) -> Progress {
    var map = total.flatMap { FileMap(length: $0) }
    map?.add(ByteRange(0, max(0, min(done, total ?? 0))))
    return Progress(done: done, total: total, rate: 5e6, connections: 4, map: map)
  }

  @Test func twoLinesWhereThereIsRoom() {
    var batch = Batch(count: 1)
    batch.begin(0, name: "n", progress(5, of: 10))
    let lines = PanelLines(palette: Self.palettes[0], secondsLeft: [:])
    #expect(lines.lines(of: batch, in: Window(columns: 60, rows: 3)).count == 2)
    for window in [Window(columns: 59, rows: 24), Window(columns: 200, rows: 2)] {
      #expect(lines.lines(of: batch, in: window).count == 1)
    }
    batch.change(0, to: progress(5, of: nil))
    #expect(lines.lines(of: batch, in: Window(columns: 200, rows: 24)).count == 1)
  }

  @Test func aLineForEachFileAndATotal() {
    var batch = Batch(count: 9)
    let lines = PanelLines(palette: Self.palettes[2], secondsLeft: [:])
    #expect(lines.lines(of: batch, in: Window(columns: 80, rows: 24)).isEmpty)
    for file in 0..<3 { batch.begin(file, name: "file\(file)", progress(5, of: 10)) }
    let texts = lines.lines(of: batch, in: Window(columns: 80, rows: 24)).map(\.text)
    #expect(texts.count == 4 && texts[2].hasPrefix("file2"))
    #expect(texts[3] == "0 of 9 files  15 B / 30 B or more  14 MiB/s", "\(texts[3])")
    #expect(lines.lines(of: batch, in: Window(columns: 80, rows: 4)).count == 3)
    #expect(lines.lines(of: batch, in: Window(columns: 80, rows: 2)).count == 1)
    for file in 0..<3 { batch.end(file, bytes: 10) }
    let total = lines.lines(of: batch, in: Window(columns: 80, rows: 24)).map(\.text)
    #expect(total == ["3 of 9 files  30 B / 30 B or more"])
  }

  @Test func theTotalIsSaidWhenItIsKnown() {
    var batch = Batch(count: 2)
    batch.begin(0, name: "a", progress(5, of: 10))
    batch.begin(1, name: "b", progress(5, of: nil))
    #expect(TotalLine(batch: batch, secondsLeft: 9).text(width: 80).text.contains("10 B / 15 B or more"))
    batch.change(1, to: progress(5, of: 10))
    let text = TotalLine(batch: batch, secondsLeft: 9).text(width: 80).text
    #expect(text == "0 of 2 files  10 B / 20 B  9.5 MiB/s  9s left")
    #expect(TotalLine(batch: batch, secondsLeft: 9).text(width: 5).text == "0 of ")
  }

  /// Whatever the numbers: every line fits, by the width that the terminal gives it and by that which we count.
  @Test func everyLineFitsEveryWindow() {
    var random = SplitMix64(state: 1)
    let totals: [Int64?] = [nil, 0, 1, 1000, 1 << 40, .max]
    for columns in 2...300 {
      let window = Window(columns: columns, rows: Int.random(in: 1...30, using: &random))
      var batch = Batch(count: Int.random(in: 1...4, using: &random))
      for file in 0..<Int.random(in: 1...batch.count, using: &random) {
        let total = totals.randomElement(using: &random) ?? nil
        var state = progress([0, 1, .max, (total ?? 9) / 2].randomElement(using: &random) ?? 0, of: total)
        state.rate = [nil, 0, 1e-9, 1e300, .infinity, .nan].randomElement(using: &random) ?? nil
        if Bool.random(using: &random) { state.activity = .verifying }
        batch.begin(file, name: ["a", "日本語.iso", "🎉🎉🎉"].randomElement(using: &random) ?? "", state)
      }
      for palette in Self.palettes {
        let left = [0: 1e300, 1: .nan, 2: 0]
        for line in PanelLines(palette: palette, secondsLeft: left).lines(of: batch, in: window) {
          let bare = line.text.replacing("\u{1B}[2m", with: "").replacing("\u{1B}[0m", with: "")
          #expect(line.columns < columns && ColumnWidth.of(bare) == line.columns, "\(window) \(line)")
          #expect(!palette.isShaded ? bare == line.text : true)
        }
      }
    }
  }

  /// Messages above, the present lines below, and nothing else, after any history of drawings, messages and windows
  /// that get narrower.
  @Test(arguments: 0..<40) func thereAreNoRuins(seed: Int) {
    var random = SplitMix64(state: UInt64(seed))
    var terminal = VirtualTerminal(columns: 120, rows: 200)
    var screen = Screen(style: .bar, palette: Self.palettes[seed % 3])
    var inbox = Inbox(.init(), files: seed % 4 + 1)
    for file in 0..<(seed % 4 + 1) {
      let start = DownloadEvent.started(url: "u", path: "file\(file)", progress(0, of: 1000))
      inbox.receive(start, of: file, at: 0)
    }
    var said: [String] = []
    for step in 1...60 {
      if Int.random(in: 0..<4, using: &random) == 0 {
        inbox.receive(.message("message \(step)"), at: 0)
        said.append("swoop: message \(step)")
      }
      if Int.random(in: 0..<8, using: &random) == 0, terminal.columns > 45 {
        terminal.narrow(to: terminal.columns - Int.random(in: 1...20, using: &random))
      }
      for active in inbox.batch.active {
        inbox.receive(.progress(progress(Int64(step * 16), of: 1000)), of: active.file, at: Double(step))
      }
      let window = Window(columns: terminal.columns, rows: 200)
      let (items, batch) = inbox.take()
      terminal.write(screen.update(items, batch, window: window, at: Double(step)))
      let messages = terminal.text.filter { $0.hasPrefix("swoop: ") }
      let lines = terminal.text.count - messages.count
      #expect(messages == said && lines == (batch.count > 1 ? batch.count + 1 : window.columns < 60 ? 1 : 2))
      #expect(terminal.text.prefix(said.count).allSatisfy { $0.hasPrefix("swoop: ") }, "\(terminal.text)")
    }
    for file in 0..<(seed % 4 + 1) {
      inbox.end(file, complete: 1000, Ending(words: .news("saved \(file)"), result: []), at: 100)
    }
    let (items, batch) = inbox.take()
    terminal.write(screen.update(items, batch, window: Window(columns: terminal.columns, rows: 200), at: 100))
    #expect(terminal.text.count == said.count + 2 * (seed % 4 + 1), "\(terminal.text)")
    #expect(!terminal.hasWrapped && !terminal.isConfused)
  }

  /// With no row to spare the cursor stays in the one line.
  @Test func aWindowOfOneRow() {
    var panel = Panel(reflows: true)
    let window = Window(columns: 40, rows: 1)
    #expect(panel.draw([DrawnLine(ascii: "one")], in: window) == "one\u{1B}[J")
    #expect(panel.draw([DrawnLine(ascii: "two")], in: window) == "\rtwo\u{1B}[J")
    #expect(panel.clear(in: window) == "\r\u{1B}[J")
  }

  @Test func whereLinesAreCutOffEachTakesOneRow() {
    var panel = Panel(reflows: false)
    _ = panel.draw([DrawnLine(ascii: String(repeating: "x", count: 79))], in: Window(columns: 80, rows: 24))
    #expect(panel.clear(in: Window(columns: 40, rows: 24)) == "\r\u{1B}[1A\u{1B}[J")
    var breaking = Panel(reflows: true)
    _ = breaking.draw([DrawnLine(ascii: String(repeating: "x", count: 79))], in: Window(columns: 80, rows: 24))
    #expect(breaking.clear(in: Window(columns: 40, rows: 24)) == "\r\u{1B}[2A\u{1B}[J")
  }
}
