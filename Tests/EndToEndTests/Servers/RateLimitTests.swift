import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `--limit-rate`. No run may be faster than the limit; how much slower this machine makes it is left open.
@Suite(.waiting) struct RateLimitTests {
  /// The least time for so many bytes at a rate, in seconds: what may be taken at once is ahead.
  private static func leastTime(_ bytes: Double, _ rate: Double) -> Double { bytes / rate - 0.25 - 16_384 / rate }

  private func expectTime(
    _ result: CommandResult, _ bytes: Double, at rate: Double, location: SourceLocation = #_sourceLocation
  ) {
    let least = Self.leastTime(bytes, rate)
    #expect(result.elapsed >= .seconds(least), "\(result.elapsed)", sourceLocation: location)
    #expect(result.elapsed <= .seconds(4 * least + 20), "\(result.elapsed)", sourceLocation: location)
  }

  @Test(arguments: ["1", "16"]) func holdsForAllConnectionsTogether(count: String) throws {
    let trial = try Trial.healthy()
    let result = try trial.run("--limit-rate", "4M", "-n", count)
    try trial.expect(result, exit: 0, .file)
    expectTime(result, 10_000_001, at: Double(4 << 20))
    #expect(!result.error.contains("trying again"), "\(result.error)")
    #expect(trial.server.log.maxConcurrentConnections <= Int(count)! + 1)
    // It waits, and does not look again and again.
    #expect(Sanitizer.isOn || result.userTime + result.systemTime < .seconds(2))
  }

  /// Neither because it is slow nor because the path is long.
  @Test func noConnectionsAreAddedForIt() throws {
    let content = Content.pattern(length: 2_000_001)
    let trial = try Trial(content) { request in
      .file(content) { if request.method == "HEAD" { $0.delay = .milliseconds(40) } }
    }
    try trial.expect(trial.run("--limit-rate", "700k", "-n", "auto"), exit: 0, .file)
    #expect(trial.server.log.maxConcurrentConnections <= 5)
  }

  /// In one stream, without a length or without ranges; cut off, in slices, and with bytes that nobody wants.
  @Test(arguments: ["chunked", "close", "no ranges", "cut", "short", "too much"])
  func whateverTheServerDoes(kind: String) throws {
    let content = Content.pattern(length: 3_000_000)
    let trial = try Trial(content) { request in
      .file(content) { reply in
        switch kind {
        case "chunked":
          reply.isChunked = true
          reply.headLength = .missing
          reply.honoursRange = false
        case "close":
          reply.isCloseDelimited = true
          reply.headLength = .missing
          reply.honoursRange = false
        case "no ranges":
          reply.acceptRanges = "none"
          reply.honoursRange = false
        case "cut": if request.method == "GET" { reply.cutAfter = 400_000 }
        case "short": reply.sliceLimit = 300_000
        case "too much": if request.method == "GET" { reply.extraBytes = Array(repeating: 7, count: 100_000) }
        default: break
        }
      }
    }
    let result = try trial.run("--limit-rate", "2M")
    try trial.expect(result, exit: 0, .file)
    expectTime(result, 3_000_000, at: Double(2 << 20))
  }

  /// Digests follow the file as it comes.
  @Test func digestsKeepUp() throws {
    let trial = try ChecksumListTests.serving(.status(404))
    let result = try trial.run("--limit-rate", "500k", "--sha256", try ChecksumListTests.sha256())
    try trial.expect(result, exit: 0, .file, says: "sha256 verified")
    expectTime(result, Double(ChecksumListTests.content.length), at: Double(500 << 10))
  }

  /// A piece a second, which is less often than either patience: our own pause is not the server's silence.
  @Test(arguments: ["1", "4"]) func isNeitherAStallNorIdle(count: String) throws {
    let content = Content.pattern(length: 6000)
    let trial = try Trial(content, .file(content))
    let result = try trial.run(
      "--limit-rate", "1k", "--stall-timeout", "0.5", "--give-up-after", "0.5", "--min-split", "1k", "-n", count)
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("trying again"), "\(result.error)")
    #expect(result.elapsed >= .seconds(4))
  }

  /// The server's silence is one all the same.
  @Test func theServersSilenceIsStillAStall() throws {
    let trial = try Trial.stalling()
    let result = try trial.run("--limit-rate", "20M", "--stall-timeout", "1", "--give-up-after", "1")
    try trial.expect(result, exit: 3, .part)
    try trial.expectCleanRerun("--limit-rate", "100M")
  }

  @Test func holdsForSeveralFilesTogether() throws {
    let trial = try Trial(.pattern(length: 1_500_000)) { _ in .file(.pattern(length: 1_500_000)) }
    let result = try trial.swoop(
      ["--limit-rate", "1M", trial.server.url("/a.bin"), trial.server.url("/b.bin")]
    ).run()
    #expect(result.exitCode == 0, "\(result.error)")
    expectTime(result, 3_000_000, at: Double(1 << 20))
    #expect(trial.names == ["a.bin", "b.bin"])
  }

  /// A list of digests comes under the limit, too, and has the time that it takes.
  @Test func holdsForAListOfDigests() throws {
    let text = ChecksumListTests.zeros + "  other.bin\n"
    let list = String(repeating: text, count: 60)
    let trial = try Trial(.ten, .status(200, text: list))
    let result = try trial.swoop(
      [
        "verify", "--limit-rate", "2k", "--stall-timeout", "0.4", "--give-up-after", "0.4", "-c",
        trial.server.url("/S"),
      ]
    ).run()
    #expect(result.exitCode == 7 && result.output.contains("other.bin: FAILED open or read"), "\(result.error)")
    #expect(result.elapsed >= .seconds(Self.leastTime(Double(list.utf8.count), 2048)))
  }

  /// Checkpoints and signals do not wait for the limit.
  @Test(arguments: [SIGINT, SIGKILL]) func canBeInterrupted(signal: Int32) throws {
    let trial = try Trial.healthy()
    let command = try trial.command(["--limit-rate", "100k", "-n", "16"]).start()
    for _ in 0..<500 where (try? trial.manifest()?.done) ?? 0 == 0 {
      _ = command.waitForExit(timeout: .milliseconds(20))
    }
    #expect(try trial.manifest()?.done ?? 0 > 0)
    command.signal(signal)
    let result = try command.result(timeout: .seconds(20))
    #expect(result.termination == .signalled(signal), "\(result.error)")
    try trial.manifest()?.expectHonest(trial.folder, trial.placed("file.bin.part"), trial.content, #_sourceLocation)
    try trial.expectCleanRerun()
  }

  @Test func aRealServerIsHeldBackToo() throws {
    guard NginxServer.executable != nil else { return }
    let served = try TemporaryFolder()
    try served.write(Content.ten, to: "file.bin")
    try served.setMode(0o755, of: "")
    var settings = NginxServer.Settings()
    settings.certificate = SelfSignedCertificate()
    let server = try NginxServer(serving: served.path, settings: settings)
    for url in [server.url("/file.bin"), server.secureURL("/file.bin")] {
      let trial = try Trial(.ten, .silence)
      let result = try trial.run("-k", "--limit-rate", "5M", url: url)
      try trial.expect(result, exit: 0, .file)
      expectTime(result, 10_000_001, at: Double(5 << 20))
    }
  }

  @Test(arguments: ["0", "5M/s", "fast", "-1", ""]) func aWrongRateIsRefused(rate: String) throws {
    let trial = try Trial.healthy()
    try trial.expect(trial.run("--limit-rate", rate), exit: 2, .nothing, says: "--limit-rate needs a size")
    #expect(trial.server.log.connections == 0)
  }
}
