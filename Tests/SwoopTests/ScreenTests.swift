import DownloadCore
import Testing

@testable import swoop

@Suite final class ScreenTests {
  private static let window = Window(columns: 40, rows: 24)
  private static let palette = Palette(isUnicode: false, isShaded: false)

  private var inbox = Inbox(.init())

  private func state(_ done: Int64, of total: Int64? = 100) -> Progress {
    Progress(done: done, total: total, rate: 10, connections: 2)
  }

  private var screen = Screen(style: .bar, palette: ScreenTests.palette)

  private func show(_ style: ProgressStyle) { screen = Screen(style: style, palette: Self.palette) }

  private func begin(_ done: Int64 = 0, of total: Int64? = 100) {
    inbox.receive(.started(url: "u", path: "d/p", state(done, of: total)), at: 0)
  }

  /// What is printed for what was told last.
  private func update(
    _ progress: Progress? = nil, window: Window? = ScreenTests.window, at now: Double
  ) -> String {
    if let progress { inbox.receive(.progress(progress), at: now) }
    let (items, batch) = inbox.take()
    return screen.update(items, batch, window: window, at: now)
  }

  @Test func theLineIsDrawnOverAndEndsAboveTheLastWords() {
    show(.bar)
    begin()
    let first = update(state(10), at: 0)
    #expect(first.hasPrefix(" 10%") && first.hasSuffix("\u{1B}[K\n\u{1B}[J"), "\(first)")
    #expect(update(state(10), at: 0.1) == "")
    inbox.end(0, complete: 100, Ending(words: .news("saved"), result: []), at: 0.2)
    let last = update(at: 0.2)
    #expect(last.hasPrefix("\r\u{1B}[1A\u{1B}[J100%") && last.hasSuffix("\nswoop: saved\n"), "\(last)")
  }

  @Test func messagesScrollAbove() {
    show(.bar)
    begin()
    _ = update(state(10), at: 0)
    inbox.receive(.message("note"), at: 0)
    let text = update(state(10), at: 0.1)
    #expect(text.hasPrefix("\r\u{1B}[1A\u{1B}[Jswoop: note\n 10%"), "\(text)")
  }

  @Test func nothingIsDrawnInTheBackground() {
    show(.bar)
    begin()
    _ = update(state(10), at: 0)
    inbox.receive(.message("note"), at: 0)
    #expect(update(state(20), window: nil, at: 0.1) == "swoop: note\n")
    let again = update(state(20), at: 0.2)
    #expect(again.hasPrefix(" 20%"), "what was drawn before is another's by now: \(again)")
  }

  @Test func whatWasDrawnBeforeAStopStays() {
    show(.bar)
    begin()
    _ = update(state(10), at: 0)
    screen.abandon()
    let again = update(state(20), at: 9)
    #expect(again.hasPrefix(" 20%"), "\(again)")
  }

  @Test func plainLinesComeAtEveryTenth() {
    show(.plain)
    begin()
    _ = update(state(0), window: nil, at: 0)
    let lines = (1...100).map { update(state(Int64($0)), window: nil, at: Double($0) / 10) }
    let printed = lines.filter { !$0.isEmpty }
    #expect(printed.count == 10)
    #expect(printed.first == "swoop: 10 % of 100 B, 10 B/s, 9s left\n")
    #expect(printed.last == "swoop: 100 % of 100 B, 10 B/s\n")
    #expect(printed.allSatisfy { !$0.contains("\r") && !$0.contains("\u{1B}") })
  }

  @Test func plainLinesOfSeveralFilesNameThem() {
    inbox = Inbox(.init(), files: 2)
    show(.plain)
    begin()
    _ = update(state(0), window: nil, at: 0)
    #expect(update(state(10), window: nil, at: 1).hasPrefix("swoop: p: 10 % of"))
  }

  @Test func plainLinesComeEveryThirtySeconds() {
    show(.plain)
    begin(of: nil)
    _ = update(state(0, of: nil), window: nil, at: 0)
    let printed = (1...65).filter { second in
      !update(state(Int64(second), of: nil), window: nil, at: Double(second)).isEmpty
    }
    #expect(printed == [30, 60])
  }

  @Test func aResumedDownloadBeginsWhereItWas() {
    show(.plain)
    begin(45)
    #expect(update(state(46), window: nil, at: 0) == "swoop: resuming d/p from 45 B of 100 B\n")
    #expect(update(state(50), window: nil, at: 1).hasPrefix("swoop: 50 % of"))
  }

  @Test func noneIsSilentButForMessages() {
    show(.none)
    begin()
    inbox.receive(.message("a"), at: 0)
    #expect(update(state(50), at: 99) == "swoop: a\n")
  }

  /// A wrong digest is known before the line has told of all that was read for it: such a line does not stay.
  @Test func aWrongDigestLeavesNoHalfOfTheReading() {
    show(.bar)
    var verifying = Progress(activity: .verifying, done: 0, total: 100, rate: nil, connections: 0)
    _ = update(verifying, at: 0)
    verifying.done = 70
    inbox.receive(.progress(verifying), at: 0)
    inbox.end(0, Ending(words: .error("e"), result: []), at: 0)
    let text = update(at: 0.1)
    #expect(!text.contains("verifying") && text.hasSuffix("\u{1B}[Jswoop: error: e\n"), "\(text)")
  }

  /// What was fetched stays, at the newest state and not at the one that was drawn last.
  @Test func aFailureLeavesTheNewestState() {
    show(.bar)
    begin()
    _ = update(state(10), at: 0)
    inbox.receive(.progress(state(70)), at: 0)
    inbox.end(0, Ending(words: .error("e"), result: []), at: 0)
    let text = update(at: 0.1)
    #expect(text.contains(" 70%") && text.hasSuffix("\nswoop: error: e\n"), "\(text)")
  }

  /// Nobody has said what became of the reading: how far it was is news.
  @Test func anInterruptionLeavesWhatWasRead() {
    show(.bar)
    let verifying = Progress(activity: .verifying, done: 70, total: 100, rate: nil, connections: 0)
    _ = update(verifying, at: 0)
    inbox.end(0, Ending(words: .note("interrupted"), result: []), at: 0)
    #expect(update(at: 0.1).contains("verifying 70%"))
  }

  @Test(
    arguments: [
      (ProgressChoice.automatic, true, "xterm", ProgressStyle.bar), (.automatic, true, "dumb", .plain),
      (.automatic, false, "xterm", .plain), (.bar, false, nil, .bar), (.plain, true, "xterm", .plain),
      (.none, true, "xterm", .none), (.automatic, true, nil, .plain), (.automatic, true, "", .plain),
      (.json, true, "xterm", .json), (.json, false, nil, .json),
    ] as [(ProgressChoice, Bool, String?, ProgressStyle)])
  func theStyleFollowsTheTerminal(choice: ProgressChoice, isTerminal: Bool, kind: String?, style: ProgressStyle) {
    #expect(choice.style(onTerminal: isTerminal, kind: kind) == style)
    let amidData = choice.style(onTerminal: isTerminal, kind: kind, amidData: true)
    #expect(amidData == (isTerminal && choice != .json ? .none : style))
  }
}
