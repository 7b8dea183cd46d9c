import FaultCatalogue
import TestSupport
import Testing

/// Words that are refused are not repeated with the secrets in them.
@Suite(.waiting) struct SecretRegressionTests {
  private func expectRefused(_ runner: CommandRunner, in trial: Trial) throws {
    let result = try runner.run(timeout: .seconds(20))
    #expect(result.termination == .exited(2), "\(result.error)")
    #expect(result.error.count(of: "\n") == 1, "\(result.error)")
    let all = result.error + result.output
    for secret in ["PXSECRET", "TOKSECRET"] { #expect(!all.contains(secret), "\(all)") }
    Trial.expectPlain(result, #_sourceLocation)
    #expect(trial.names.isEmpty && trial.server.log.connections == 0)
  }

  @Test(arguments: ["http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"])
  func proxyOfTheEnvironmentThatIsNone(variable: String) throws {
    let trial = try Trial.healthy()
    let scheme = variable.hasPrefix("https") ? "https" : "http"
    var runner = trial.command([], url: "\(scheme)://somewhere.example/file.bin")
    runner.environment = [variable: "http://bob:PXSECRET@127.0.0.1:1:x"]
    try expectRefused(runner, in: trial)
  }

  /// A URL where a file or a number belongs.
  @Test(
    arguments: [
      ["status"], ["resume"], ["verify", "--sha256", String(repeating: "0", count: 64)], ["-n"], ["--min-split"],
      ["--max-size"], ["--stall-timeout"], ["--progress"], ["--sha256"], ["--checksum"], ["--cacert"], ["--cert"],
    ], ["http://bob:PXSECRET@127.0.0.1:1/file.bin", "http://127.0.0.1:1/file.bin.part?token=TOKSECRET"])
  func urlInTheWrongPlace(words: [String], url: String) throws {
    let trial = try Trial.healthy()
    let rest = words == ["--cacert"] || words == ["--cert"] ? ["http://127.0.0.1:1/"] : []
    try expectRefused(trial.swoop(words + [url] + rest), in: trial)
  }

  /// The same without a scheme, and an option's value that has no blank before it.
  @Test(arguments: [
    ["status", "bob:PXSECRET@127.0.0.1:1/file.bin?token=TOKSECRET"], ["resume", "127.0.0.1:1/file?token=TOKSECRET"],
    ["--proxyhttp://bob:PXSECRET@127.0.0.1:1", "http://127.0.0.1:1/"],
    ["-x", "bob:PXSECRET://@127.0.0.1:1", "http://127.0.0.1:1/"],
    ["verify", "--checksum-file", "bob:PXSECRET@127.0.0.1:1/SUMS?token=TOKSECRET"],
    ["-H", "@http://bob:PXSECRET@127.0.0.1:1/", "http://127.0.0.1:1/"],
  ])
  func otherWordsInTheWrongPlace(words: [String]) throws {
    let trial = try Trial.healthy()
    try expectRefused(trial.swoop(words), in: trial)
  }

  @Test func proxyOptionThatIsNone() throws {
    let trial = try Trial.healthy()
    try expectRefused(trial.command(["-x", "http://bob:PXSECRET@127.0.0.1:1:x"]), in: trial)
  }

  @Test(arguments: [
    "http://bob:PXSECRET@127.0.0.1:1/fi\u{1}le.bin?token=TOKSECRET",
    "http://bob:PXSECRET@127.0.0.1:1/file.bin?token=TOKSECRET\u{7}",
    "http://bob:PXSECRET\u{1B}@127.0.0.1:1/file.bin?token=TOKSECRET",
    "http://bob:PXSECRET@127.0.\u{7F}0.1:1/file.bin?token=TOKSECRET",
    "\nhttp://bob:PXSECRET@127.0.0.1:1/file.bin?token=TOKSECRET",
  ]) func urlWithAControlByte(url: String) throws {
    let trial = try Trial.healthy()
    try expectRefused(trial.command([], url: url), in: trial)
  }
}
