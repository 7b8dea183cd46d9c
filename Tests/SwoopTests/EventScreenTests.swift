import DownloadCore
import TestSupport
import Testing

@testable import swoop

/// The events of `--progress json`.
@Suite final class EventScreenTests {
  private var inbox = Inbox(.init(isProgram: true), files: 2)
  private var screen = EventScreen(log: EventLog(began: 100), isQuiet: false)

  private func events(at now: Double) throws -> [ParsedJSON] {
    let (items, batch) = inbox.take()
    let lines = screen.update(items, batch, at: now)
    #expect(lines.allSatisfy { $0.hasSuffix("\n") && $0.dropLast().allSatisfy { $0 != "\n" } })
    return try lines.map { try ParsedJSON(parsing: $0) }
  }

  private func progress(_ done: Int64, _ activity: Progress.Activity = .fetching, rate: Double? = nil) -> DownloadEvent
  {
    .progress(Progress(activity: activity, done: done, total: 100, rate: rate, connections: 3))
  }

  private func start(_ done: Int64 = 0) -> DownloadEvent {
    .started(url: "http://h/\u{1B}", path: "a b", Progress(done: done, total: 100, rate: nil, connections: 0))
  }

  @Test func theFirstEventHasTheVersion() throws {
    inbox.receive(.message("m"), at: 100.5)
    inbox.receive(.warning("w"), of: nil, at: 101)
    let events = try events(at: 102)
    #expect(
      events == [
        .object([
          "version": .integer(1), "event": .string("message"), "time": .number(0.5), "file": .integer(1),
          "message": .string("m"),
        ]),
        .object(["event": .string("warning"), "time": .integer(1), "message": .string("w")]),
      ])
  }

  @Test func aDownloadIsTold() throws {
    inbox.receive(start(40), of: 1, at: 100)
    inbox.receive(progress(50, rate: .infinity), of: 1, at: 101)
    let events = try events(at: 102)
    #expect(events.map { $0["event"].string } == ["start", "progress"])
    #expect(events[0].names == ["version", "event", "time", "file", "url", "path", "total", "resumed"])
    #expect(events[0]["url"].string == "http://h/\u{1B}" && events[0]["resumed"].integer == 40)
    #expect(events[1].names == ["event", "time", "file", "done", "total", "rate", "connections"])
    #expect(events[1]["done"].integer == 50 && events[1]["file"].integer == 2 && events[1]["rate"].integer != nil)
    #expect(try self.events(at: 103).isEmpty, "told twice")
  }

  @Test func whatIsHereFallsByARestartAlone() throws {
    inbox.receive(start(), at: 100)
    inbox.receive(progress(60), at: 100)
    _ = try events(at: 100)
    inbox.receive(progress(50), at: 101)
    #expect(try events(at: 101).isEmpty)
    inbox.receive(.restarted("r"), at: 102)
    inbox.receive(progress(10), at: 102)
    let after = try events(at: 102)
    #expect(after.map { $0["event"].string } == ["restart", "progress"] && after[1]["done"].integer == 10)
  }

  @Test func verifyingIsAnEventOfItsOwn() throws {
    inbox.receive(start(), at: 100)
    inbox.receive(progress(100), at: 100)
    _ = try events(at: 100)
    inbox.receive(progress(30, .verifying), at: 101)
    let event = try #require(try events(at: 101).first)
    #expect(event["event"].string == "verify" && event["done"].integer == 30)
    #expect(event.names == ["event", "time", "file", "done", "total"])
  }

  @Test func everyRetryIsTold() throws {
    for _ in 0..<20 { inbox.receive(.retry("again"), at: 100) }
    #expect(try events(at: 100).count == 20)
  }

  @Test func theEndComesAfterTheLastState() throws {
    inbox.receive(start(), at: 100)
    inbox.receive(progress(60), at: 100)
    inbox.end(0, complete: 100, Ending(words: .news("saved"), result: [JSONMember("exit", .integer(0))]), at: 101)
    let events = try events(at: 102)
    #expect(events.map { $0["event"].string } == ["start", "progress", "end"])
    #expect(events[1]["done"].integer == 100 && events[2]["exit"].integer == 0 && events[2]["time"].number == 1)
  }

  /// What is told of no file, and has no members, is a message, which `-q` keeps like the end that it stands beside.
  @Test func wordsAloneAreNoEnd() throws {
    for isQuiet in [false, true] {
      inbox = Inbox(.init(isQuiet: isQuiet, isProgram: true))
      screen = EventScreen(log: EventLog(began: 0), isQuiet: isQuiet)
      inbox.end(nil, Ending(words: .note("interrupted"), result: []), at: 2)
      let events = try events(at: 3)
      #expect(events.map { $0["event"].string } == ["message"] && events[0]["message"].string == "interrupted")
    }
  }

  @Test func quietLeavesTheEnd() throws {
    inbox = Inbox(.init(isQuiet: true, isVerbose: true, isProgram: true))
    screen = EventScreen(log: EventLog(began: 0), isQuiet: true)
    inbox.receive(start(40), at: 1)
    for event in [progress(60), .message("m"), .warning("w"), .trace("t"), .retry("r"), .restarted("s")] {
      inbox.receive(event, at: 1)
    }
    inbox.end(0, Ending(words: .error("e"), result: [JSONMember("exit", .integer(3))]), at: 2)
    let events = try events(at: 3)
    #expect(events.map { $0["event"].string } == ["end"] && events[0]["version"].integer == 1)
  }

  @Test func aFailureTellsWhatWasHere() throws {
    var record = JobRecord(url: "http://h/f", path: nil)
    record.note(start(40))
    record.note(progress(70))
    record.note(.retry("r"))
    let error = DownloadError(.network, "gave up")
    let object = try ParsedJSON(parsing: JSONValue.object(record.members(error, seconds: 1.5)).text)
    #expect(object["bytes"].integer == 70 && object["resumed"].integer == 40 && object["retries"].integer == 1)
    #expect(object["exit"].integer == 3 && object["error"].string == "gave up" && object["path"].string == "a b")
    #expect(object["connections"].integer == 3 && object["outcome"].string == "failed")
    var report = DownloadReport(outcome: .saved, path: "f", bytes: 100)
    report.computed = [Digest(.md5, hex: "ab")]
    report.verified = [.md5]
    report.caveats = [.digestNotAuthenticated]
    let saved = try ParsedJSON(parsing: JSONValue.object(record.members(report)).text)
    #expect(saved.names == object.names && saved["error"] == .null && saved["exit"].integer == 0)
    #expect(saved["digests"]["md5"].string == "ab" && saved["verified"].array == [.string("md5")])
    #expect(saved["caveats"].array == [.string("digest not authenticated")])
  }
}
