import FaultCatalogue
import TestSupport
import Testing

/// Real TLS: certificates, cuts, and what goes from https to http (T25, T36, T37, H03).
@Suite(.waiting, .enabled(if: NginxServer.executable != nil)) struct SecureServerTests {
  /// A folder that nginx serves, and a trial whose files come from there.
  private struct Place {
    let served: TemporaryFolder
    let trial: Trial
    let server: NginxServer

    init(_ certificate: SelfSignedCertificate, protocols: String? = nil, directives: String = "") throws {
      served = try TemporaryFolder()
      trial = try Trial(.ten, .silence)
      try served.write(Content.ten, to: "file.bin")
      var settings = NginxServer.Settings()
      settings.certificate = certificate
      settings.protocols = protocols
      settings.directives = directives
      server = try NginxServer(serving: served.path, settings: settings)
    }

    func run(_ options: String..., url: String? = nil) throws -> CommandResult { try run(options, url: url) }

    func run(_ options: [String], url: String? = nil) throws -> CommandResult {
      try trial.command(options, url: url ?? server.secureURL("/file.bin")).run()
    }

    /// The file is there; it is removed, for the next run.
    func expectFile(
      _ result: CommandResult, says words: String = "", location: SourceLocation = #_sourceLocation
    ) throws {
      try trial.expect(result, exit: 0, .file, says: words, location: location)
      clear()
    }

    /// Removes what a run has left.
    func clear() {
      for name in trial.names { trial.folder.remove(trial.placed(name)) }
    }

    func expectNothing(
      _ result: CommandResult, exit code: Int32, says words: String = "", location: SourceLocation = #_sourceLocation
    ) throws {
      try trial.expect(result, exit: code, .nothing, says: words, location: location)
    }
  }

  /// Never tried again, and nothing is left.
  @Test(.row("T36")) func selfSignedCertificate() throws {
    let place = try Place(SelfSignedCertificate())
    try place.expectNothing(place.run(), exit: 8, says: "certificate")
    try place.expectFile(place.run("--cacert", place.server.certificate))
    try place.expectFile(place.run("-k"))
    #expect(try place.server.log().allSatisfy { $0.status != 400 })
  }

  @Test(.row("T36")) func expiredCertificate() throws {
    let place = try Place(SelfSignedCertificate(isExpired: true))
    try place.expectNothing(place.run("--cacert", place.server.certificate), exit: 8, says: "expired")
    try place.expectFile(place.run("-k"))
  }

  @Test(.row("T36")) func certificateOfAnotherHost() throws {
    let place = try Place(SelfSignedCertificate(names: "DNS:other.example"))
    try place.expectNothing(place.run("--cacert", place.server.certificate), exit: 8, says: "certificate")
    try place.expectFile(place.run("-k"))
  }

  /// H13: what the certificate says of its owner reaches the terminal by way of libcurl's words.
  @Test(
    .row("H13"),
    arguments: [
      "\u{1B}]0;pwn\u{7}", "\u{1B}[2J", "\u{9B}2J", "\u{202E}gpj", "a\u{8}b", "a\nswoop: saved", "\u{2028}x", "a\rb",
    ])
  func controlSequencesInACertificate(name: String) throws {
    var certificate = SelfSignedCertificate(names: nil)
    certificate.commonName = name
    let place = try Place(certificate)
    for options in [["-v"], ["-v", "--cacert", place.server.certificate]] {
      let result = try place.run(options)
      try place.expectNothing(result, exit: 8)
      #expect(!result.error.unicodeScalars.contains("\u{202E}") && !result.error.unicodeScalars.contains("\u{2028}"))
      #expect(result.error.split(separator: "\n").allSatisfy { $0.hasPrefix("swoop: ") }, "\(result.error)")
    }
    try place.expectFile(place.run("-k"))
  }

  /// The server would speak it, at a level of security that OpenSSL has to be told of.
  @Test(.row("T36")) func oldProtocol() throws {
    let ciphers = "DEFAULT@SECLEVEL=0"
    let place = try Place(SelfSignedCertificate(), protocols: "TLSv1", directives: "ssl_ciphers \(ciphers);")
    let port = try #require(place.server.securePort)
    let words = ["s_client", "-connect", "127.0.0.1:\(port)", "-tls1", "-cipher", ciphers]
    let client = try CommandRunner("openssl", words).run()
    #expect(client.output.contains("Protocol  : TLSv1\n"), "\(client.output)\(client.error)")
    try place.expectNothing(place.run("-k"), exit: 8)
  }

  /// No TLS where it is expected, and TLS where it is not.
  @Test func wrongKindOfPort() throws {
    let place = try Place(SelfSignedCertificate())
    try place.expectNothing(place.run("-k", url: "https://localhost:\(place.server.port)/file.bin"), exit: 8)
    let secure = try #require(place.server.securePort)
    try place.expectNothing(place.run(url: "http://localhost:\(secure)/file.bin"), exit: 4)
  }

  /// Each of the first connections is cut in the middle of a record.
  @Test(.row("T37"), arguments: [Reply.Ending.close, .reset])
  func cutsInTheMiddle(ending: Reply.Ending) throws {
    let place = try Place(SelfSignedCertificate())
    let relay = try TCPRelay(to: #require(place.server.securePort)) { connection in
      connection < 6 ? .init(after: Int64(300_000 + 77_777 * connection), ending) : .init()
    }
    try place.expectFile(place.run("-k", url: "https://localhost:\(relay.port)/file.bin"))
    #expect(relay.connections > 4)
  }

  /// All of them are, before anything that counts as progress has come.
  @Test(.row("T37"), arguments: [Reply.Ending.close, .reset])
  func cutsForGood(ending: Reply.Ending) throws {
    let place = try Place(SelfSignedCertificate())
    let isHealed = Monitor(false)
    let relay = try TCPRelay(to: #require(place.server.securePort)) { _ in
      isHealed.read { $0 } ? .init() : .init(after: 9000, ending)
    }
    let url = "https://localhost:\(relay.port)/file.bin"
    try place.trial.expect(place.run("-k", url: url), exit: 3, .partOrNothing)
    isHealed.change { $0 = true }
    try place.expectFile(place.run("-k", url: url))
  }

  /// The network goes in the middle of a handshake: that is no verdict on the certificate.
  @Test(arguments: [Reply.Ending.close, .reset])
  func cutHandshakes(ending: Reply.Ending) throws {
    let place = try Place(SelfSignedCertificate())
    let relay = try TCPRelay(to: #require(place.server.securePort)) { connection in
      connection < 2 ? .init(after: 200, ending) : .init()
    }
    try place.expectFile(place.run("-k", url: "https://localhost:\(relay.port)/file.bin"))
  }

  /// Over TLS the end of a connection is one only where close_notify says so, or a digest does.
  @Test(.row("T25")) func endOfTheConnection() throws {
    let origin = try ScriptedServer(
      .file(.ten) {
        $0.isCloseDelimited = true
        $0.honoursRange = false
        $0.acceptRanges = nil
      })
    let place = try Place(
      SelfSignedCertificate(), protocols: "TLSv1.3",
      directives: """
        location /through/ {
          proxy_pass http://127.0.0.1:\(origin.port)/;
          proxy_http_version 1.1;
          proxy_buffering off;
          chunked_transfer_encoding off;
        }
        """)
    let url = place.server.secureURL("/through/file.bin")
    try place.expectFile(place.run("-k", url: url), says: "length unverified")
    let port = try #require(place.server.securePort)
    let cut = try TCPRelay(to: port) { _ in .init(after: 3_000_000, .close) }
    let unnotified = try TCPRelay(to: port) { _ in
      var fate = TCPRelay.Fate()
      fate.swallowsCloseNotify = true
      return fate
    }
    let digest = try place.trial.sha256()
    for relay in [cut, unnotified] {
      let url = "https://localhost:\(relay.port)/through/file.bin"
      try place.trial.expect(place.run("-k", "--give-up-after", "2", url: url), exit: 3, .partOrNothing)
      place.clear()
      let proved = try place.run("-k", "--give-up-after", "2", "--sha256", digest, url: url)
      guard relay === unnotified else {
        try place.trial.expect(proved, exit: 3, .partOrNothing)
        place.clear()
        continue
      }
      try place.expectFile(proved, says: "sha256 verified")
    }
    try place.expectFile(place.run("-k", url: url), says: "length unverified")
  }

  /// H03, with HEAD and where HEAD is refused.
  @Test(.row("H03"), arguments: [false, true]) func fromSecureToPlain(refusesHead: Bool) throws {
    let plain = try ScriptedServer(.file(.ten))
    let place = try Place(
      SelfSignedCertificate(),
      directives: """
        location /away {
          \(refusesHead ? "if ($request_method = HEAD) { return 405; }" : "")
          return 302 http://127.0.0.1:\(plain.port)/file.bin;
        }
        """)
    let result = try place.run("-k", url: place.server.secureURL("/away"))
    try place.expectNothing(result, exit: 4)
    #expect(result.error.contains("redirect refused"), "\(result.error)")
    #expect(plain.log.connections == 0)
  }

  /// H05: http to https on the same host is another origin, too.
  @Test(.row("H05")) func fromPlainToSecure() throws {
    let place = try Place(
      SelfSignedCertificate(),
      directives: """
        if ($http_authorization) { return 418; }
        if ($http_x_api_key) { return 418; }
        if ($http_cookie) { return 418; }
        """)
    let secure = place.server.secureURL("/file.bin")
    let origin = try ScriptedServer(.redirect(to: secure))
    let result = try place.run(
      "-k", "-H", "X-Api-Key: S3CR3T", "-b", "a=S3CR3T", "-u", "me:S3CR3T", url: origin.url("/file.bin"))
    try place.expectFile(result)
    let asked = origin.log.entries.map(\.request)
    #expect(!asked.isEmpty && asked.allSatisfy { $0.headers["X-Api-Key"] == "S3CR3T" })
  }
}
