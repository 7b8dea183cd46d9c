import FaultCatalogue
import TestSupport
import Testing

/// Files of certificates and keys that would have us wait: for a writer, or for somebody at the keyboard.
@Suite(.waiting) struct TLSFileRegressionTests {
  private let trial: Trial

  init() throws {
    trial = try Trial(.text("nothing"), .silence)
  }

  private func command(_ options: [String]) -> CommandRunner {
    trial.command(["--give-up-after", "60"] + options, url: "https://127.0.0.1:\(trial.server.port)/file.bin")
  }

  private func openssl(_ words: String...) throws {
    var runner = CommandRunner("openssl", words)
    runner.workingDirectory = trial.folder.path
    let result = try runner.run()
    try #require(result.exitCode == 0, "\(result.error)")
  }

  /// A certificate, and its key behind a passphrase.
  private func makeCertificate() throws -> (certificate: String, key: String) {
    try openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=client", "-days", "30",
      "-passout", "pass:a passphrase", "-keyout", "key.pem", "-out", "certificate.pem")
    #expect(try trial.folder.text("key.pem").contains("ENCRYPTED"))
    return (trial.folder.path("certificate.pem"), trial.folder.path("key.pem"))
  }

  @Test(arguments: ["--cacert", "--cert", "--key"])
  func isAPipeThatNobodyWritesTo(option: String) throws {
    let pipe = trial.folder.path("pipe")
    try #require(try CommandRunner("mkfifo", [pipe]).run().exitCode == 0)
    let certificate = option == "--key" ? ["--cert", try makeCertificate().certificate] : []
    let result = try command(certificate + [option, pipe]).run(timeout: .seconds(20))
    #expect(result.termination == .exited(2), "\(result.error)")
    #expect(result.error.count(of: "\n") == 1 && result.error.contains(option), "\(result.error)")
    #expect(result.elapsed < .seconds(10))
    #expect(trial.names.isEmpty && trial.server.log.connections == 0)
  }

  @Test(arguments: [false, true], [false, true])
  func isAKeyBehindAPassphrase(isOneFile: Bool, hasTerminal: Bool) throws {
    let (certificate, key) = try makeCertificate()
    if isOneFile {
      try trial.folder.write(trial.folder.text("certificate.pem") + trial.folder.text("key.pem"), to: "both.pem")
    }
    let both = ["--cert", trial.folder.path("both.pem")]
    var runner = command(isOneFile ? both : ["--cert", certificate, "--key", key])
    if hasTerminal { runner.terminal = .init(forAllStreams: true) }
    let result = try runner.run(timeout: .seconds(20))
    #expect(result.termination == .exited(8), "\(result.error)")
    #expect(!(result.error + result.output).contains("Enter"), "\(result.error)")
    #expect(result.elapsed < .seconds(10))
    #expect(trial.names.isEmpty)
    if !hasTerminal { Trial.expectPlain(result, #_sourceLocation) }
  }
}
