import DownloadCore
import Testing

@testable import swoop

@Suite struct ScreenTests {
  private func state(_ done: Int64, of total: Int64? = 100) -> Progress {
    Progress(done: done, total: total, rate: 10, connections: 2)
  }

  @Test func theBarIsDrawnOverAndEndsWithANewLine() {
    var screen = Screen(style: .bar)
    let first = screen.update([.began(state(0))], state(10), columns: 40, at: 0)
    #expect(first.hasPrefix("\r 10%") && first.hasSuffix("\u{1B}[K") && !first.contains("\n"))
    #expect(screen.update([], state(10), columns: 40, at: 0.1) == "")
    let last = screen.update([.ended(state(100)), .line("saved")], nil, columns: 40, at: 0.2)
    #expect(last.hasPrefix("\r100%") && last.hasSuffix("\u{1B}[K\nsaved\n"))
  }

  @Test func messagesScrollAboveTheBar() {
    var screen = Screen(style: .bar)
    _ = screen.update([.began(state(0))], state(10), columns: 40, at: 0)
    let text = screen.update([.line("note")], state(10), columns: 40, at: 0.1)
    #expect(text.hasPrefix("\r\u{1B}[Knote\n\r 10%"))
  }

  @Test func nothingIsDrawnInTheBackground() {
    var screen = Screen(style: .bar)
    #expect(screen.update([.began(state(0)), .line("note")], state(10), columns: nil, at: 0) == "note\n")
  }

  @Test func plainLinesComeAtEveryTenth() {
    var screen = Screen(style: .plain)
    _ = screen.update([.began(state(0))], state(0), columns: nil, at: 0)
    let lines = (1...100).map { screen.update([], state(Int64($0)), columns: nil, at: Double($0) / 10) }
    let printed = lines.filter { !$0.isEmpty }
    #expect(printed.count == 10)
    #expect(printed.first == "swoop: 10 % of 100 B, 10 B/s, 9s left\n")
    #expect(printed.last == "swoop: 100 % of 100 B, 10 B/s\n")
    #expect(printed.allSatisfy { !$0.contains("\r") && !$0.contains("\u{1B}") })
  }

  @Test func plainLinesComeEveryThirtySeconds() {
    var screen = Screen(style: .plain)
    _ = screen.update([.began(state(0, of: nil))], state(0, of: nil), columns: nil, at: 0)
    let printed = (1...65).filter { second in
      !screen.update([], state(Int64(second), of: nil), columns: nil, at: Double(second)).isEmpty
    }
    #expect(printed == [30, 60])
  }

  @Test func aResumedDownloadBeginsWhereItWas() {
    var screen = Screen(style: .plain)
    #expect(screen.update([.began(state(45))], state(46), columns: nil, at: 0) == "")
    #expect(screen.update([], state(50), columns: nil, at: 1).hasPrefix("swoop: 50 % of"))
  }

  @Test func noneIsSilentButForMessages() {
    var screen = Screen(style: .none)
    #expect(screen.update([.began(state(0)), .line("a")], state(50), columns: 80, at: 99) == "a\n")
  }

  @Test(
    arguments: [
      (ProgressChoice.automatic, true, "xterm", ProgressStyle.bar), (.automatic, true, "dumb", .plain),
      (.automatic, false, "xterm", .plain), (.bar, false, nil, .bar), (.plain, true, "xterm", .plain),
      (.none, true, "xterm", .none), (.automatic, true, nil, .bar),
    ] as [(ProgressChoice, Bool, String?, ProgressStyle)])
  func theStyleFollowsTheTerminal(choice: ProgressChoice, isTerminal: Bool, kind: String?, style: ProgressStyle) {
    #expect(choice.style(onTerminal: isTerminal, kind: kind) == style)
  }
}

@Suite struct InboxTests {
  private func inbox(isQuiet: Bool = false, isVerbose: Bool = false) -> Inbox {
    var inbox = Inbox(isQuiet: isQuiet, isVerbose: isVerbose)
    inbox.receive(.started(url: "u", path: "p", total: 100, resumed: 40), at: 0)
    return inbox
  }

  private func progress(_ done: Int64) -> DownloadEvent {
    .progress(Progress(done: done, total: 100, rate: nil, connections: 1))
  }

  @Test func whatIsHereNeverFalls() {
    var inbox = inbox()
    #expect(inbox.progress?.done == 40)
    inbox.receive(progress(60), at: 0)
    inbox.receive(progress(50), at: 0)
    #expect(inbox.progress?.done == 60)
  }

  @Test func aResumedDownloadSaysSo() {
    var inbox = inbox()
    let start = Progress(done: 40, total: 100, rate: nil, connections: 0)
    #expect(inbox.take().items == [.line("swoop: resuming p from 40 B of 100 B"), .began(start)])
  }

  @Test func aBlockFetchedAgainDoesNotShow() {
    var inbox = inbox()
    inbox.receive(progress(100), at: 0)
    inbox.receive(.progress(Progress(activity: .verifying, done: 5, total: 100, rate: nil, connections: 0)), at: 0)
    #expect(inbox.progress?.done == 5)
    inbox.receive(progress(90), at: 0)
    #expect(inbox.progress?.done == 100)
  }

  @Test func aCompleteFileIsShownComplete() {
    var inbox = inbox()
    inbox.receive(progress(90), at: 0)
    _ = inbox.take()
    inbox.end(complete: 100)
    #expect(inbox.take().items == [.ended(Progress(done: 100, total: 100, rate: nil, connections: 1))])
    #expect(inbox.progress == nil)
  }

  /// A wrong digest ends the line at the newest state, not at the one that was drawn last.
  @Test func aFailureLeavesTheNewestState() {
    var inbox = inbox()
    var verifying = Progress(activity: .verifying, done: 0, total: 100, rate: nil, connections: 0)
    inbox.receive(.progress(verifying), at: 0)
    var screen = Screen(style: .bar)
    _ = screen.update(inbox.take().items, verifying, columns: 40, at: 0)
    verifying.done = 70
    inbox.receive(.progress(verifying), at: 0)
    inbox.end()
    inbox.complain("swoop: error: e")
    let text = screen.update(inbox.take().items, nil, columns: 40, at: 0.1)
    #expect(text.contains("verifying 70%") && text.hasSuffix("\u{1B}[K\nswoop: error: e\n"))
  }

  @Test func aRestartBeginsAtZero() {
    var inbox = inbox()
    inbox.receive(.restarted("the file changed"), at: 0)
    #expect(inbox.progress?.done == 0)
    inbox.receive(progress(10), at: 0)
    #expect(inbox.progress?.done == 10)
    #expect(inbox.take().items.contains(.line("swoop: warning: the file changed")))
  }

  @Test func quietKeepsErrorsOnly() {
    var inbox = inbox(isQuiet: true, isVerbose: true)
    _ = inbox.take()
    for event in [DownloadEvent.message("a"), .warning("b"), .retry("c"), .trace("d")] { inbox.receive(event, at: 0) }
    inbox.complain("swoop: error: e")
    #expect(inbox.take().items == [.line("swoop: error: e")])
  }

  @Test func retriesAreToldNowAndThen() {
    var inbox = inbox()
    _ = inbox.take()
    for second in 0..<25 { inbox.receive(.retry("again"), at: Double(second)) }
    #expect(inbox.take().items.count == 3)
  }

  @Test func tracesAreForTheVerbose() {
    var inbox = inbox(isVerbose: true)
    _ = inbox.take()
    inbox.receive(.trace("GET /\u{1B}[2J"), at: 0)
    #expect(inbox.take().items == [.line("swoop: * GET /\\u{1B}[2J")])
  }

  @Test func chatterDoesNotPileUp() {
    var inbox = inbox(isVerbose: true)
    for _ in 0..<5000 { inbox.receive(.trace("x"), at: 0) }
    inbox.receive(.warning("y"), at: 0)
    let items = inbox.take().items
    #expect(items.count <= Inbox.mostChatter + 1)
    #expect(items.last == .line("swoop: warning: y"))
  }

  /// The next file may have to be begun again for the same reason.
  @Test func aReasonToBeginAgainIsSaidOnce() {
    for isVerbose in [false, true] {
      var inbox = Inbox(isQuiet: false, isVerbose: isVerbose)
      let started = DownloadEvent.started(url: "u", path: "p", total: nil, resumed: 0)
      for event in [started, .restarted("a"), .restarted("a"), .restarted("b"), started, .restarted("b")] {
        inbox.receive(event, at: 0)
      }
      let lines = inbox.take().items.compactMap { if case .line(let text) = $0 { text } else { nil } }
      let reasons = isVerbose ? ["a", "a", "b", "b"] : ["a", "b", "b"]
      #expect(lines == reasons.map { "swoop: warning: \($0)" })
    }
  }

  @Test func aLineIsWipedWhereItIsNotToStay() {
    var inbox = Inbox(isQuiet: false, isVerbose: false)
    var screen = Screen(style: .bar)
    let progress = Progress(activity: .verifying, done: 5, total: 100, rate: nil, connections: 0)
    inbox.receive(.progress(progress), at: 0)
    #expect(screen.update(inbox.take().items, progress, columns: 40, at: 0).contains("verifying 5%"))
    inbox.wipe()
    inbox.end()
    let (items, rest) = inbox.take()
    #expect(rest == nil && screen.update(items, rest, columns: 40, at: 0) == "\r\u{1B}[K")
  }
}
