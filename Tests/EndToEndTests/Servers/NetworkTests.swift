import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Names and peers, in a network of the test's own.
@Suite(.waiting, .enabled(if: Machine.canMakeNetworks, "networks and mounts need root and iproute2"))
struct NetworkTests {
  /// Addresses of which nothing ever comes back (RFC 5737, RFC 3849).
  private static let (hole, hole6) = ("192.0.2.1", "2001:db8::1")

  private let network: NetworkNamespace
  private let trial: Trial
  /// What programs read of names, in the command's place of /etc.
  private let etc: TemporaryFolder

  init() throws {
    let network = try NetworkNamespace()
    var settings = ScriptedServer.Settings()
    settings.rate = 1_000_000
    let served = settings
    self.network = network
    trial = try network.perform { try Trial(.ten, .file(.ten), settings: served) }
    etc = try TemporaryFolder()
    try etc.write("nameserver 127.0.0.1\noptions timeout:1 attempts:2\n", to: "resolv.conf")
    try etc.write("127.0.0.1 localhost\n", to: "hosts")
    try etc.write("hosts: files dns\n", to: "nsswitch.conf")
    for hole in [Self.hole, Self.hole6] {
      try network.add(address: hole)
      try network.silence(port: trial.server.port, of: hole)
    }
  }

  /// The command where names are this network's.
  private func command(_ options: [String]) -> CommandRunner {
    let url = "http://somewhere.example:\(trial.server.port)/file.bin"
    let mounts = """
      for name in resolv.conf hosts nsswitch.conf; do
        [ ! -e /etc/$name ] || mount --bind '\(etc.path)'/$name /etc/$name || exit 99
      done
      """
    var command = Machine.shell(mounts, trial.command(options, url: url))
    command.arguments.insert(contentsOf: ["-m", command.executable], at: 0)
    command.executable = "unshare"
    return command
  }

  /// Runs the command, which asks for the server by a name.
  private func run(
    _ options: String..., answer: @escaping @Sendable (_ name: String, _ index: Int) -> NameServer.Answer
  ) throws -> CommandResult {
    let names = try network.perform { try NameServer(script: answer) }
    defer { withExtendedLifetime(names) {} }
    let runner = command(options)
    let result = try network.perform { try runner.run() }
    #expect(names.questions > 0)
    return result
  }

  private func expectCleanRerun(location: SourceLocation = #_sourceLocation) throws {
    let again = try run { _, _ in .addresses(["127.0.0.1"]) }
    try trial.expect(again, exit: 0, .file, location: location)
  }

  /// Tried for some seconds, in case the network is just coming up, and not for as long as a download that has begun.
  @Test(.row("T23")) func noSuchName() throws {
    let result = try run("--give-up-after", "90") { _, _ in .noSuchName }
    try trial.expect(result, exit: 3, .nothing, says: "somewhere.example")
    #expect(result.elapsed < .seconds(60))
    try expectCleanRerun()
  }

  /// The name server is silent, and libcurl has a thread that waits for it for a minute: nobody waits for that.
  @Test(.row("L16"), arguments: [SIGINT, SIGTERM, SIGHUP])
  func isInterruptedWhileItResolves(signal: Int32) throws {
    try etc.write("nameserver 127.0.0.1\noptions timeout:30 attempts:2\n", to: "resolv.conf")
    let names = try network.perform { try NameServer { _, _ in .silence } }
    let runner = command(["--connect-timeout", "60", "--give-up-after", "60"])
    let running = try network.perform { try runner.start() }
    for _ in 0..<500 where names.questions == 0 { _ = running.waitForExit(timeout: .milliseconds(20)) }
    #expect(names.questions > 0)
    running.signal(signal)
    let result = try running.result(timeout: .seconds(20))
    #expect(result.termination == .signalled(signal), "\(result.error)")
    #expect(trial.names.isEmpty)
  }

  /// The name server answers that it cannot tell, or not at all, and then does.
  @Test(.row("T23"), arguments: [true, false])
  func namesAreNotKnownForAWhile(answers: Bool) throws {
    let result = try run("--give-up-after", "60", "--connect-timeout", "2") { _, index in
      guard index < 12 else { return .addresses(["127.0.0.1"]) }
      return answers ? .failure : .silence
    }
    try trial.expect(result, exit: 0, .file, says: answers ? "trying again" : "")
    // One lookup asks twice for each kind of address, a second apart.
    #expect(answers || result.elapsed > .seconds(2))
    try expectCleanRerun()
  }

  /// Of two addresses one refuses, or nothing comes back from it.
  @Test(
    .row("T23"),
    arguments: [
      [hole, "127.0.0.1"], ["127.0.0.1", hole], ["127.0.0.9", "127.0.0.1"], ["127.0.0.1", "127.0.0.9"],
    ])
  func oneAddressIsDead(addresses: [String]) throws {
    let result = try run("--give-up-after", "60", "--connect-timeout", "2") { _, _ in .addresses(addresses) }
    try trial.expect(result, exit: 0, .file)
    try expectCleanRerun()
  }

  /// RFC 8305: the other family is not kept waiting for an answer that never comes.
  @Test(.row("T23")) func nothingComesBackByIPv6() throws {
    let result = try run("--give-up-after", "600", "--connect-timeout", "120") { _, _ in
      .addresses([Self.hole6, "127.0.0.1"])
    }
    try trial.expect(result, exit: 0, .file)
    #expect(result.elapsed < .seconds(40))
    try expectCleanRerun()
  }

  /// In the middle of a download nothing arrives any more: no byte, no reset, no answer to new connections.
  @Test(.row("T24")) func thePeerVanishes() throws {
    let trial = trial
    let command = try network.perform { try trial.command([]).start() }
    try #require(trial.server.waitUntil { $0.bodyBytesSent > 2_000_000 })
    try network.silence(port: trial.server.port)
    let result = try command.result()
    try trial.expect(result, exit: 3, .part, says: "run the same command again to resume")
    #expect(result.elapsed < .seconds(40))
    try network.endSilence(port: trial.server.port)
    let again = try network.perform { try trial.command([]).run() }
    try trial.expect(again, exit: 0, .file, says: "resum")
  }
}
