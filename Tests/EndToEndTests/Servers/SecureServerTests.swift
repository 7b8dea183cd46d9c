import TestSupport
import Testing

/// Real TLS: certificates, cuts, and what goes from https to http (T25, T36, T37, H03).
@Suite(.enabled(if: NginxServer.executable != nil)) struct SecureServerTests {
  /// A folder that nginx serves, and one that files go to.
  private struct Place {
    let served: TemporaryFolder
    let folder: TemporaryFolder
    let server: NginxServer

    init(_ certificate: SelfSignedCertificate, protocols: String? = nil, directives: String = "") throws {
      served = try TemporaryFolder()
      folder = try TemporaryFolder()
      try served.write(Content.ten, to: "file.bin")
      var settings = NginxServer.Settings()
      settings.certificate = certificate
      settings.protocols = protocols
      settings.directives = directives
      server = try NginxServer(serving: served.path, settings: settings)
    }

    func run(_ options: String..., url: String? = nil) throws -> CommandResult {
      let patience = ["--stall-timeout", "2", "--give-up-after", "3", "-n", "4"]
      return try CommandRunner.swoop(patience + options + [url ?? server.secureURL("/file.bin")], in: folder).run()
    }

    func expectFile(_ result: CommandResult, location: SourceLocation = #_sourceLocation) throws {
      #expect(result.exitCode == 0, "\(result.error)", sourceLocation: location)
      #expect(try folder.names() == ["file.bin"], sourceLocation: location)
      #expect(try folder.holds(.ten, in: "file.bin"), sourceLocation: location)
      Trial.expectPlain(result, location)
    }

    func expectNothing(_ result: CommandResult, exit code: Int32, location: SourceLocation = #_sourceLocation) throws {
      #expect(result.exitCode == code, "\(result.error)", sourceLocation: location)
      #expect(try folder.names().isEmpty, sourceLocation: location)
      Trial.expectPlain(result, location)
    }
  }

  /// T36: never tried again, and nothing is left.
  @Test func certificates() throws {
    let place = try Place(SelfSignedCertificate())
    let unknown = try place.run()
    try place.expectNothing(unknown, exit: 8)
    #expect(unknown.error.contains("certificate"), "\(unknown.error)")
    try place.expectFile(place.run("--cacert", place.server.certificate))
    place.folder.remove("file.bin")
    try place.expectFile(place.run("-k"))
    #expect(try place.server.log().allSatisfy { $0.status != 400 })
  }

  @Test func expiredCertificate() throws {
    let place = try Place(SelfSignedCertificate(isExpired: true))
    let result = try place.run("--cacert", place.server.certificate)
    try place.expectNothing(result, exit: 8)
    #expect(result.error.contains("expired"), "\(result.error)")
    try place.expectFile(place.run("-k"))
  }

  @Test func certificateOfAnotherHost() throws {
    let place = try Place(SelfSignedCertificate(names: "DNS:other.example"))
    try place.expectNothing(place.run("--cacert", place.server.certificate), exit: 8)
    try place.expectFile(place.run("-k"))
  }

  @Test func oldProtocol() throws {
    let place = try Place(SelfSignedCertificate(), protocols: "TLSv1")
    try place.expectNothing(place.run("-k"), exit: 8)
  }

  /// No TLS where it is expected, and TLS where it is not.
  @Test func wrongKindOfPort() throws {
    let place = try Place(SelfSignedCertificate())
    try place.expectNothing(place.run("-k", url: "https://localhost:\(place.server.port)/file.bin"), exit: 8)
    let secure = try #require(place.server.securePort)
    try place.expectNothing(place.run(url: "http://localhost:\(secure)/file.bin"), exit: 4)
  }

  /// T37: each of the first connections is cut in the middle of a record.
  @Test(arguments: [Reply.Ending.close, .reset])
  func cutsInTheMiddle(ending: Reply.Ending) throws {
    let place = try Place(SelfSignedCertificate())
    let relay = try TCPRelay(to: #require(place.server.securePort)) { connection in
      connection < 6 ? .init(after: Int64(300_000 + 77_777 * connection), ending) : .init()
    }
    try place.expectFile(place.run("-k", url: "https://localhost:\(relay.port)/file.bin"))
    #expect(relay.connections > 4)
  }

  /// T37: the network goes in the middle of a handshake: that is no verdict on the certificate.
  @Test(arguments: [Reply.Ending.close, .reset])
  func cutHandshakes(ending: Reply.Ending) throws {
    let place = try Place(SelfSignedCertificate())
    let relay = try TCPRelay(to: #require(place.server.securePort)) { connection in
      connection < 2 ? .init(after: 200, ending) : .init()
    }
    try place.expectFile(place.run("-k", url: "https://localhost:\(relay.port)/file.bin"))
  }

  /// T25: over TLS the end of a connection is one only where close_notify says so.
  @Test func endOfTheConnection() throws {
    let origin = try ScriptedServer(
      .file(.ten) {
        $0.isCloseDelimited = true
        $0.honoursRange = false
        $0.acceptRanges = nil
      })
    let place = try Place(
      SelfSignedCertificate(),
      directives: """
        location /through/ {
          proxy_pass http://127.0.0.1:\(origin.port)/;
          proxy_http_version 1.1;
          proxy_buffering off;
          chunked_transfer_encoding off;
        }
        """)
    let result = try place.run("-k", url: place.server.secureURL("/through/file.bin"))
    try place.expectFile(result)
    #expect(result.error.contains("length unverified"), "\(result.error)")
    place.folder.remove("file.bin")

    let relay = try TCPRelay(to: #require(place.server.securePort)) { _ in .init(after: 3_000_000, .close) }
    let cut = try place.run("-k", "--give-up-after", "2", url: "https://localhost:\(relay.port)/through/file.bin")
    #expect(cut.exitCode == 3, "\(cut.error)")
    #expect(try !place.folder.names().contains("file.bin"))
    Trial.expectPlain(cut, #_sourceLocation)
  }

  /// H03
  @Test func fromSecureToPlain() throws {
    let plain = try ScriptedServer(.file(.ten))
    let place = try Place(
      SelfSignedCertificate(), directives: "location /away { return 302 http://127.0.0.1:\(plain.port)/file.bin; }")
    let result = try place.run("-k", url: place.server.secureURL("/away"))
    try place.expectNothing(result, exit: 4)
    #expect(result.error.contains("redirect refused"), "\(result.error)")
    #expect(plain.log.connections == 0)
  }

  /// H05: http to https on the same host is another origin, too.
  @Test func fromPlainToSecure() throws {
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
