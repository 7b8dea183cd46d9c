import DownloadCore
import Testing

@testable import swoop

@Suite struct InboxTests {
  private func inbox(_ audience: Inbox.Audience = .init()) -> Inbox {
    var inbox = Inbox(audience)
    inbox.receive(.started(url: "u", path: "d/p", Self.state(40)), at: 0)
    return inbox
  }

  private static func state(_ done: Int64) -> Progress { Progress(done: done, total: 100, rate: nil, connections: 1) }
  private func progress(_ done: Int64) -> DownloadEvent { .progress(Self.state(done)) }
  private func verifying(_ done: Int64) -> DownloadEvent {
    .progress(Progress(activity: .verifying, done: done, total: 100, rate: nil, connections: 0))
  }

  @Test func whatIsHereNeverFalls() {
    var inbox = inbox()
    #expect(inbox.batch.progress(of: 0)?.done == 40)
    inbox.receive(progress(60), at: 0)
    inbox.receive(progress(50), at: 0)
    #expect(inbox.batch.progress(of: 0)?.done == 60)
  }

  /// Good news is for who can read it all; what fails is told always.
  @Test(arguments: [
    (1, false, false, true), (20, false, false, true), (21, false, false, false), (21, true, false, true),
    (1, false, true, true), (2, false, true, false), (2, true, true, true),
  ]) func eachThatIsSavedHasALine(files: Int, isVerbose: Bool, isTerse: Bool, isTold: Bool) {
    var inbox = Inbox(Inbox.Audience(isVerbose: isVerbose, isTerse: isTerse), files: files)
    inbox.receive(.started(url: "u", path: "p", Self.state(40)), at: 0)
    inbox.end(0, complete: 100, Ending(words: .news("saved"), result: []), at: 1)
    inbox.end(1, complete: 100, Ending(words: .news("saved"), result: []), at: 1)
    inbox.end(2, Ending(words: .error("failed"), result: []), at: 1)
    let words = inbox.take().items.compactMap { item -> Ending.Words? in
      if case .ended(_, let ending) = item.kind { ending?.words } else { nil }
    }
    #expect(words == (isTold ? [.news("saved"), .news("saved"), .error("failed")] : [.nothing, .error("failed")]))
  }

  @Test func theBeginningIsTold() {
    var inbox = inbox()
    #expect(inbox.take().items.map(\.kind) == [.began(url: "u", path: "d/p", Self.state(40))])
    #expect(inbox.batch.active.first?.name == "p")
  }

  @Test func aBlockFetchedAgainDoesNotShow() {
    var inbox = inbox()
    inbox.receive(progress(100), at: 0)
    inbox.receive(verifying(5), at: 0)
    #expect(inbox.batch.progress(of: 0)?.done == 5)
    inbox.receive(progress(90), at: 0)
    #expect(inbox.batch.progress(of: 0)?.done == 100)
  }

  @Test func aCompleteFileIsShownComplete() {
    var inbox = inbox()
    inbox.receive(progress(90), at: 0)
    inbox.receive(verifying(5), at: 0)
    _ = inbox.take()
    inbox.end(0, complete: 100, nil, at: 3)
    let last = Progress(done: 100, total: 100, rate: nil, connections: 0)
    #expect(inbox.take().items == [.init(kind: .ended(last, nil), file: 0, time: 3)])
    #expect(inbox.batch.active.isEmpty && inbox.batch.ended == 1 && inbox.batch.endedBytes == 100)
  }

  @Test func aRestartBeginsAtZero() {
    var inbox = inbox()
    inbox.receive(.restarted("the file changed"), at: 0)
    #expect(inbox.batch.progress(of: 0)?.done == 0)
    inbox.receive(progress(10), at: 0)
    #expect(inbox.batch.progress(of: 0)?.done == 10)
    #expect(inbox.take().items.map(\.kind).contains(.restart("the file changed")))
  }

  @Test func quietKeepsErrorsOnly() {
    var inbox = inbox(.init(isQuiet: true, isVerbose: true))
    _ = inbox.take()
    for event in [DownloadEvent.message("a"), .warning("b"), .retry("c"), .trace("d")] { inbox.receive(event, at: 0) }
    inbox.end(0, Ending(words: .error("e"), result: []), at: 0)
    var screen = Screen(style: .none, isQuiet: true, palette: Palette(isUnicode: true, isShaded: true))
    let (items, batch) = inbox.take()
    #expect(screen.update(items, batch, window: nil, at: 0) == "swoop: error: e\n")
  }

  @Test func quietLeavesGoodNewsOut() {
    var inbox = inbox(.init(isQuiet: true))
    inbox.end(0, complete: 100, Ending(words: .news("saved"), result: []), at: 0)
    var screen = Screen(style: .none, isQuiet: true, palette: Palette(isUnicode: true, isShaded: true))
    let (items, batch) = inbox.take()
    #expect(screen.update(items, batch, window: nil, at: 0) == "")
  }

  @Test func retriesAreToldNowAndThen() {
    var inbox = inbox()
    _ = inbox.take()
    for second in 0..<25 { inbox.receive(.retry("again"), at: Double(second)) }
    #expect(inbox.take().items.count == 3)
  }

  @Test func tracesAreForTheVerbose() {
    var inbox = inbox(.init(isVerbose: true))
    _ = inbox.take()
    inbox.receive(.trace("GET /\u{1B}[2J"), at: 0)
    var screen = Screen(style: .none, palette: Palette(isUnicode: true, isShaded: true))
    let (items, batch) = inbox.take()
    #expect(screen.update(items, batch, window: nil, at: 0) == "swoop: * GET /\\u{1B}[2J\n")
  }

  @Test func chatterDoesNotPileUp() {
    for isProgram in [true, false] {
      var inbox = inbox(.init(isVerbose: true, isProgram: isProgram))
      for _ in 0..<5000 {
        inbox.receive(.trace("x"), at: 0)
        inbox.receive(.retry("x"), at: 0)
      }
      inbox.receive(.warning("y"), at: 0)
      let items = inbox.take().items
      #expect(items.count <= Inbox.mostChatter + 1)
      #expect(items.last?.kind == .warning("y"))
    }
  }

  /// One after another: what is known of the whole only grows, and is not called the whole before it is.
  @Test func severalFilesAddUp() {
    var inbox = Inbox(.init(), files: 3)
    for file in 0..<3 {
      #expect(!inbox.batch.lengthIsKnown)
      inbox.receive(.started(url: "u", path: "p", Self.state(0)), of: file, at: 0)
      inbox.receive(progress(50), of: file, at: 0)
      #expect(inbox.batch.sum.done == Int64(file) * 100 + 50 && inbox.batch.sum.total == Int64(file + 1) * 100)
      inbox.receive(verifying(1), of: file, at: 0)
      #expect(inbox.batch.sum.done == Int64(file + 1) * 100)
      inbox.end(file, complete: 100, nil, at: 0)
    }
    #expect(inbox.batch.lengthIsKnown && inbox.batch.sum.done == 300 && inbox.batch.ended == 3)
  }

  @Test func sideBySideTooInTheirOrder() {
    var inbox = Inbox(.init(), files: 2)
    inbox.receive(.started(url: "u", path: "b", Self.state(0)), of: 1, at: 0)
    inbox.receive(.started(url: "u", path: "a", Self.state(0)), of: 0, at: 0)
    #expect(inbox.batch.active.map(\.name) == ["a", "b"] && inbox.batch.lengthIsKnown)
  }
}
