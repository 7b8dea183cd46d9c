import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `-4`, `-6`, `--interface`, `--resolve`, and the proxies that the environment names.
@Suite(.waiting) struct RouteTests {
  private static func url(_ host: String, _ trial: Trial) -> String { "http://\(host):\(trial.server.port)/file.bin" }

  /// The name leads to both kinds of addresses, and the server has one of them. Of two options the last one counts.
  @Test(arguments: [(["-4"], true), (["-6"], false), (["-6", "-4"], true), (["-46"], false), (["--ipv4"], true)])
  func theKindOfAddresses(options: [String], reaches: Bool) throws {
    let trial = try Trial.healthy()
    let both = "both.example:\(trial.server.port):127.0.0.1,::1"
    let result = try trial.command(
      options + ["--resolve", both, "--give-up-after", "1"], url: Self.url("both.example", trial)
    ).run()
    try trial.expect(result, exit: reaches ? 0 : 3, reaches ? .file : .nothing)
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["Host"] == "both.example:\(trial.server.port)" })
  }

  /// An address of the other kind cannot be reached, however often it is tried: nobody waits for that.
  @Test func anAddressOfTheOtherKindIsRefused() throws {
    let trial = try Trial.healthy()
    let result = try trial.run("-6")
    try trial.expect(result, exit: 2, .nothing, says: "-6 cannot reach 127.0.0.1, which is an IPv4 address")
    #expect(trial.server.log.connections == 0)
    trial.expect(
      try trial.swoop("resume", "-6", "x.part", "--url", trial.server.url()), code: 11, says: "no partial file")
    let list = ["-6", "--checksum-file", trial.server.url("/SUMS"), "http://h.example/f"]
    trial.expect(try trial.swoop(list).run(), code: 2, says: "-6 cannot reach 127.0.0.1")
  }

  @Test(.enabled(if: Machine.hasBothLoopbacks, "there is no [::1]"))
  func ipv6IsReachedByItsAddressAndByAName() throws {
    var settings = ScriptedServer.Settings()
    settings.usesIPv6 = true
    let trial = try Trial(.ten, .file(.ten), settings: settings)
    try trial.expect(trial.run("-6"), exit: 0, .file)
    trial.expect(try trial.run("-4", "-o", "x"), code: 2, says: "-4 cannot reach [::1], which is an IPv6 address")
    let name = "six.example:\(trial.server.port)"
    let result = try trial.run("--force", "--resolve", name + ":[::1]", url: "http://\(name)/file.bin")
    try trial.expect(result, exit: 0, .file)
  }

  /// A redirect's host is found by it as well, and each of several options counts.
  @Test func resolvesWhateverIsAsked() throws {
    let trial = try Trial(.ten) { request in
      guard request.headers["Host"]?.hasPrefix("one.example") == true else { return .file(.ten) }
      let port = request.headers["Host"]!.drop { $0 != ":" }
      return .redirect(to: "http://two.example\(port)/file.bin")
    }
    let port = trial.server.port
    let result = try trial.run(
      "--resolve", "one.example:\(port):127.0.0.1", "--resolve", "+two.example:\(port):127.0.0.1",
      url: Self.url("one.example", trial))
    try trial.expect(result, exit: 0, .file)
    #expect(trial.server.log.entries.contains { $0.request.headers["Host"] == "two.example:\(port)" })
  }

  /// A list of digests and a proxy have hosts as well.
  @Test func resolvesListsAndProxies() throws {
    let trial = try ChecksumListTests.serving(.status(200, text: try ChecksumListTests.sha256()))
    let port = trial.server.port
    let resolve = ["--resolve", "*:\(port):127.0.0.1"]
    let list = try trial.command(
      resolve + ["--checksum-file", "http://lists.example:\(port)/SUMS"], url: Self.url("h.example", trial)
    ).run()
    try trial.expect(list, exit: 0, .file, says: "sha256 verified")
    let verified = try trial.swoop(["verify"] + resolve + ["-c", "http://l.example:\(port)/SUMS", "file.bin"]).run()
    #expect(verified.exitCode == 0, "\(verified.error)")
    let proxied = try trial.command(
      resolve + ["--force", "-x", "http://proxy.example:\(port)"], url: "http://elsewhere.example/file.bin"
    ).run()
    try trial.expect(proxied, exit: 0, .file)
    #expect(trial.server.log.entries.last?.request.target == "http://elsewhere.example/file.bin")
  }

  @Test(arguments: ["a:80", "a:80:b", "a:0:127.0.0.1", "[::1]:80:127.0.0.1"])
  func aWrongAddressIsRefused(resolution: String) throws {
    let trial = try Trial.healthy()
    try trial.expect(trial.run("--resolve", resolution), exit: 2, .nothing, says: "--resolve needs HOST:PORT:ADDRESS")
    #expect(trial.server.log.connections == 0)
  }

  @Test(arguments: ["127.0.0.1", "127.0.0.5", "host!127.0.0.5", "lo"]) func sendsFromThere(interface: String) throws {
    let trial = try Trial.healthy()
    try trial.expect(trial.run("--interface", interface), exit: 0, .file)
  }

  /// In one line, at once, and nothing is left.
  @Test(arguments: ["nosuch0", "192.0.2.77", "if!nosuch0", "host!no.such.invalid"])
  func whereNothingCanBeSentFrom(interface: String) throws {
    let trial = try Trial.healthy()
    let result = try trial.run("--interface", interface, "--give-up-after", "100")
    try trial.expect(result, exit: 7, .nothing, says: "swoop: error: --interface: ")
    #expect(trial.server.log.connections == 0)
  }
}

/// What of the environment counts for proxies, as for curl.
extension RouteTests {
  private func fetch(_ trial: Trial, _ environment: [String: String], url: String) throws -> CommandResult {
    var command = trial.command(["--give-up-after", "1", "--connect-timeout", "1"], url: url)
    command.environment = environment.mapValues { Optional($0) }
    return try command.run()
  }

  @Test(arguments: ["http_proxy", "all_proxy", "ALL_PROXY"]) func aProxyOfTheEnvironmentIsUsed(name: String) throws {
    let trial = try Trial.healthy()
    let proxy = "http://127.0.0.1:\(trial.server.port)"
    let result = try fetch(trial, [name: proxy], url: "http://somewhere.invalid/file.bin")
    try trial.expect(result, exit: 0, .file)
    #expect(trial.server.log.entries.allSatisfy { $0.request.target == "http://somewhere.invalid/file.bin" })
  }

  /// In capitals a web server sets it from a request's field `Proxy`.
  @Test func httpProxyInCapitalsIsNot() throws {
    let trial = try Trial.healthy()
    let port = try RefusingPort()
    try trial.expect(fetch(trial, ["HTTP_PROXY": port.origin], url: trial.server.url()), exit: 0, .file)
  }

  @Test(arguments: ["no_proxy", "NO_PROXY"], ["127.0.0.1", "a.example,127.0.0.1", "*"])
  func hostsWithoutAProxy(name: String, hosts: String) throws {
    let trial = try Trial.healthy()
    let port = try RefusingPort()
    let result = try fetch(trial, ["http_proxy": port.origin, name: hosts], url: trial.server.url())
    try trial.expect(result, exit: 0, .file)
  }

  @Test func hostsThatAreNotNamedGoByTheProxy() throws {
    let trial = try Trial.healthy()
    let port = try RefusingPort()
    let environment = ["http_proxy": port.origin, "no_proxy": "127.0.0.2,example.org"]
    try trial.expect(fetch(trial, environment, url: trial.server.url()), exit: 3, .nothing)
    #expect(trial.server.log.connections == 0)
  }

  /// https goes through a tunnel, which http_proxy says nothing of.
  @Test(arguments: ["https_proxy", "HTTPS_PROXY"]) func httpsHasAProxyOfItsOwn(name: String) throws {
    let trial = try Trial(.ten, .status(502))
    let proxy = "http://127.0.0.1:\(trial.server.port)"
    let result = try fetch(
      trial, [name: proxy, "http_proxy": "http://127.0.0.1:1"], url: "https://somewhere.invalid/file.bin")
    try trial.expect(result, exit: 4, .nothing, says: "502")
    #expect(trial.server.log.entries.allSatisfy { $0.request.method == "CONNECT" })
  }

  @Test(arguments: ["ftp://127.0.0.1:1", "http://me:S3CR3T@[::1", "http://me:S3CR3T@127.0.0.1:99999"])
  func aProxyThatIsNoneIsRefused(proxy: String) throws {
    let trial = try Trial.healthy()
    let result = try fetch(trial, ["http_proxy": proxy], url: trial.server.url())
    try trial.expect(result, exit: 2, .nothing, says: "the proxy that is set cannot be used")
    #expect(trial.server.log.connections == 0)
  }
}
