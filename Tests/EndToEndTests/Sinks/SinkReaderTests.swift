import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Readers that are slow, stand still or go away.
@Suite(.waiting) struct SinkReaderTests {
  /// Bytes go on coming for longer than both patiences, and nobody is blamed: not a request more, nothing tried again.
  @Test(arguments: ["1", "4"], [true, false]) func aSlowReaderIsNoStall(connections: String, hasRanges: Bool) throws {
    let content = Content.pattern(length: 6_000_000)
    let trial = try Trial(content) { _ in
      .file(content) {
        $0.honoursRange = hasRanges
        $0.acceptRanges = hasRanges ? "bytes" : "none"
      }
    }
    let reader = try trial.fifo()
    let options = ["-n", connections, "--window", "1M", "--stall-timeout", "0.5", "--give-up-after", "1", "--json"]
    let command = try trial.sending(options, to: reader).start()
    var bytes: [UInt8] = []
    // The reader's rate: 60 pieces in 3 s.
    while true {
      let piece = try reader.read(100_000)
      bytes += piece
      if piece.count < 100_000 { break }
      poll(nil, 0, 50)
    }
    let result = try command.result()
    #expect(result.exitCode == 0 && result.error.contains("\"retries\":0"), "\(result.error)")
    try trial.expectBytes(bytes)
    #expect(bytes.count == 6_000_000)
    if connections == "1" || !hasRanges {
      #expect(trial.server.settledLog().entries.count { $0.request.method == "GET" } == 1)
    }
  }

  /// All of the window is here, and nothing more is fetched, for longer than both patiences.
  @Test(arguments: ["1", "4"]) func aReaderThatStandsStillIsWaitedFor(connections: String) throws {
    let content = Content.pattern(length: 60_000_000)
    var settings = ScriptedServer.Settings()
    settings.sendBuffer = 64 << 10
    let trial = try Trial(content, settings: settings) { _ in .file(content) }
    let reader = try trial.fifo()
    let options = ["-n", connections, "--window", "1M", "--stall-timeout", "0.5", "--give-up-after", "1"]
    let command = try trial.sending(options, to: reader).start()
    var bytes = try reader.read(2_000_000)
    poll(nil, 0, 2500)
    #expect(command.isRunning, "\(command.error)")
    // What is ahead of the reader is in the window, and in the sockets: 6 MiB each at most (tcp(7), tcp_rmem).
    #expect(trial.server.log.bodyBytesSent < 40_000_000, "\(trial.server.log.bodyBytesSent)")
    bytes += try reader.read(60_000_000)
    let result = try command.result()
    #expect(result.exitCode == 0 && !result.error.contains("trying again"), "\(result.error)")
    try trial.expectBytes(bytes)
    #expect(bytes.count == 60_000_000)
    #expect(Sanitizer.isOn || !result.isPeakMeasured || result.peakMemory < 48 << 10, "\(result.peakMemory) KiB")
  }

  /// While bytes are on their way: at once, without a word, nothing left.
  @Test(.row("L41"), arguments: ["1", "4"]) func theReaderGoesAway(connections: String) throws {
    let trial = try Trial.healthy(.pattern(length: 100_000_000))
    let reader = try trial.fifo()
    let command = try trial.sending(["-n", connections, "--window", "1M"], to: reader).start()
    try trial.expectBytes(reader.read(10_000))
    reader.close()
    let result = try command.result(timeout: .seconds(30))
    #expect(result.termination == .exited(141) && result.error.isEmpty, "\(result.error)")
    try trial.expectNothingLeft(result, errors: 0)
  }

  /// While nothing is to be written, and while the server has not even answered.
  @Test(.row("L41"), arguments: [true, false]) func theReaderGoesAwayWhileTheServerIsSlow(hasAnswered: Bool) throws {
    let content = Content.pattern(length: 100_000_000)
    let gate = BodyGate(after: hasAnswered ? 300_000 : 0)
    let trial = try Trial(content) { _ in hasAnswered ? .file(content) { $0.gate = gate } : .silence }
    let reader = try trial.fifo()
    let options = ["-n", "1", "--stall-timeout", "300", "--give-up-after", "300", "--json"]
    let command = try trial.sending(options, to: reader).start()
    #expect(trial.server.waitUntil { !$0.entries.isEmpty })
    if hasAnswered { try trial.expectBytes(reader.read(300_000)) }
    reader.close()
    let result = try command.result(timeout: .seconds(30))
    #expect(result.termination == .exited(141) && result.error.isEmpty, "\(result.error)")
    try trial.expectNothingLeft(result, errors: 0)
  }

  /// Also where a thread is held up in writing.
  @Test(.row("L16"), arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalEndsItAtOnce(signal: Int32) throws {
    let trial = try Trial.healthy(.pattern(length: 100_000_000))
    let reader = try trial.fifo()
    let command = try trial.sending(["-n", "4", "--window", "1M"], to: reader).start()
    let first = try reader.read(1)
    #expect(first.count == 1)
    command.signal(signal)
    let result = try command.result(timeout: .seconds(30))
    #expect(result.termination == .signalled(signal), "\(result.error)")
    #expect(result.error.contains("interrupted by") && !result.error.contains("resume"), "\(result.error)")
    try trial.expectNothingLeft(result, errors: 0)
  }
}
