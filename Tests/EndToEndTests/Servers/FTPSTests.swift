import FaultCatalogue
import TestSupport
import Testing

/// FTPS with implicit TLS, from a real vsftpd; and FTP by way of a proxy.
@Suite(.waiting, .enabled(if: VsftpdServer.executable != nil)) struct FTPSTests {
  private func secure(_ place: SourcePlace, _ certificate: SelfSignedCertificate = .init()) throws -> VsftpdServer {
    var settings = VsftpdServer.Settings()
    settings.certificate = certificate
    return try VsftpdServer(serving: place.served.path, settings: settings)
  }

  @Test func overSeveralConnections() throws {
    let place = try SourcePlace()
    let server = try secure(place)
    let result = try place.run("-n", "4", "--cacert", server.certificate, url: server.url("/file.bin"))
    try place.expectFile(result)
    let commands = try server.commands()
    #expect(commands.contains("PROT P") && !commands.contains("PROT C"), "\(commands)")
    #expect(Set(commands.filter { $0.hasPrefix("REST ") }).count >= 3, "\(commands)")
  }

  /// No login is sent before the certificate is known to be right.
  @Test func certificates() throws {
    let place = try SourcePlace()
    let server = try secure(place)
    let url = server.url("/file.bin", login: "ftp:S3CR3T@")
    try place.expect(place.run(url: url), exit: 8, says: "certificate")
    #expect(try server.commands().isEmpty)
    try place.expectFile(place.run("-k", url: url))
    place.work.remove("file.bin")
    let expired = try secure(place, SelfSignedCertificate(isExpired: true))
    let result = try place.run("--cacert", expired.certificate, url: expired.url("/file.bin"))
    try place.expect(result, exit: 8, says: "expired")
  }

  /// No TLS where it is expected.
  @Test func aPlainServer() throws {
    let place = try SourcePlace()
    let plain = try VsftpdServer(serving: place.served.path)
    let url = "ftps://127.0.0.1:\(plain.port)/file.bin"
    try place.expect(place.run("-k", url: url), exit: 8, says: "is it an ftp server?")
  }

  /// It is asked in HTTP, and answers so.
  @Test func throughAnHTTPProxy() throws {
    let place = try SourcePlace()
    let trial = try Trial(.ten, .file(.ten))
    let proxy = "http://127.0.0.1:\(trial.server.port)"
    try place.expectFile(place.run("-n", "4", "-x", proxy, url: "ftp://somewhere.example/file.bin"))
    #expect(trial.server.settledLog().entries.contains { $0.request.target == "ftp://somewhere.example/file.bin" })
    place.work.remove("file.bin")
    let leading = try Trial(.ten, .redirect(to: "https://127.0.0.1:1/file.bin"))
    let other = "http://127.0.0.1:\(leading.server.port)"
    try place.expect(
      place.run("-x", other, url: "ftp://somewhere.example/file.bin"), exit: 4, says: "redirect refused")
  }
}
