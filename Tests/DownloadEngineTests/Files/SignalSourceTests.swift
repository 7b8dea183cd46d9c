import Glibc
import TestSupport
import Testing

@testable import DownloadEngine

/// Signals as a descriptor. Each test has a thread of its own, to which alone the signals are sent: masks are a
/// thread's.
@Suite(.serialized) struct SignalSourceTests {
  /// What a test found, for the thread that waits for it.
  private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) throws -> Result {
    let done = TestSupport.Monitor<Result?>(nil)
    try BackgroundThread.start {
      let result = body()
      done.change { $0 = result }
    }
    try #require(done.wait(timeout: .seconds(20)) { $0 != nil })
    return try #require(done.read { $0 })
  }

  private static func send(_ signals: Int32...) {
    for signal in signals { pthread_kill(pthread_self(), signal) }
  }

  /// Which of INT, TERM and HUP are blocked in this thread.
  private static func blocked() -> [Int32] {
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    return [SIGINT, SIGTERM, SIGHUP, SIGQUIT].filter { sigismember(&mask, $0) == 1 }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]) func tellsTheSignal(signal: Int32) throws {
    let found = try onThread {
      let source = SignalSource()
      let before = source.pending()
      Self.send(signal)
      return [before, source.pending(), source.pending()]
    }
    #expect(found == [nil, signal, signal])
  }

  @Test func canBePolled() throws {
    let ready = try onThread {
      let source = SignalSource()
      var entry = pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)
      let before = poll(&entry, 1, 0)
      Self.send(SIGTERM)
      let after = poll(&entry, 1, 5000)
      _ = source.pending()
      return [before, after]
    }
    #expect(ready == [0, 1])
  }

  /// One that comes after the first ends the process at once, but for a second hang-up.
  @Test func letsTheSecondOneThrough() throws {
    let masks = try onThread {
      let source = SignalSource()
      let before = Self.blocked()
      Self.send(SIGINT)
      _ = source.pending()
      let after = Self.blocked()
      source.release()
      return [before, after, Self.blocked()]
    }
    #expect(masks == [[SIGINT, SIGTERM, SIGHUP, SIGQUIT], [SIGHUP], []])
  }

  /// Those that came with the first are taken with it: left pending, they would end the process before it could save.
  @Test func takesThoseThatCameTogether() throws {
    let found = try onThread {
      let source = SignalSource()
      Self.send(SIGTERM, SIGHUP, SIGINT)
      let first = source.pending()
      source.release()
      return [first, source.pending()]
    }
    #expect(found[0] != nil && found[1] == found[0])
  }
}
