import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Servers that would have us ask for ever, wait for ever, or give up too soon.
@Suite(.waiting) struct PatienceRegressionTests {
  private static let small = Content.pattern(length: 1_000_000)

  /// A request without Range cannot be out of range: that is a refusal, not something to try again.
  @Test(arguments: [["Content-Range": "bytes */1000000"], [:]] as [HTTPFields])
  func unsatisfiableWithoutRange(headers: HTTPFields) throws {
    let trial = try Trial(Self.small) { request in
      request.method == "HEAD" ? .file(Self.small) : .status(416, headers: headers)
    }
    let result = try trial.run()
    try trial.expect(result, exit: 4, .nothing, says: "416")
    #expect(result.elapsed < .seconds(20))
    try trial.expectCleanRerun()
  }

  /// The connection is made, and the handshake never answered.
  @Test func silentHandshake() throws {
    let trial = try Trial(Self.small, .silence)
    let result = try trial.run(
      "--give-up-after", "2", "--stall-timeout", "1", url: "https://127.0.0.1:\(trial.server.port)/file.bin",
      timeout: .seconds(30))
    try trial.expect(result, exit: 3, .nothing)
    #expect(result.elapsed < .seconds(20))
  }

  /// Ranges of a byte each are of no use: the file comes as one.
  @Test func rangesOfOneByte() throws {
    let content = Content.pattern(length: 8 << 20)
    let trial = try Trial(content, .file(content) { $0.sliceLimit = 1 })
    let result = try trial.run("-n", "16")
    try trial.expect(result, exit: 0, .file)
    let requests = trial.server.settledLog().entries.count
    #expect(requests < 1000, "\(requests) requests")
  }

  /// A resumed part on a server without ranges: what is here comes again first, and takes longer than the patience.
  @Test(arguments: ["bytes", "none"])
  func whatIsHereComesAgainSlowly(acceptRanges: String) throws {
    let content = Content.pattern(length: 1_000_000)
    let hasRanges = Monitor(true)
    let trial = try Trial(content) { _ in
      guard !hasRanges.read({ $0 }) else { return .file(content) { $0.stallAfter = 900_000 } }
      return .file(content) {
        $0.acceptRanges = acceptRanges
        $0.honoursRange = false
        $0.rate = 250_000
      }
    }
    let first = try trial.command(["-n", "1", "--stall-timeout", "30"]).start()
    #expect(try trial.waitForManifest { $0.done > 800_000 })
    first.signal(SIGTERM)
    try trial.expectInvariants(interrupted: first.result())
    hasRanges.change { $0 = false }
    let result = try trial.run("--give-up-after", "1", "--stall-timeout", "1")
    try trial.expect(result, exit: 0, .file)
  }

  /// Each connection brings little, but each brings something.
  @Test(arguments: ["1", "4"])
  func cutAfterEveryFewBytes(connections: String) throws {
    let content = Content.pattern(length: 200_000)
    let trial = try Trial(content, .file(content) { $0.cutAfter = 5000 })
    try trial.expect(trial.run("-n", connections, "--give-up-after", "4"), exit: 0, .file)
  }
}
