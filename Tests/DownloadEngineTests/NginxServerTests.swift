import TestSupport
import Testing

/// The real server that the main job is tested with.
@Suite(.enabled(if: NginxServer.executable != nil)) struct NginxServerTests {
  @Test func servesAFolder() throws {
    let folder = try TemporaryFolder()
    try folder.write("hello", to: "a.txt")
    var settings = NginxServer.Settings()
    settings.certificate = SelfSignedCertificate()
    let server = try NginxServer(serving: folder.path, settings: settings)
    let client = try RawClient(port: server.port)
    try client.request("GET", "/a.txt", ["Range": "bytes=1-3"])
    #expect(try client.response().body == Array("ell".utf8))
    let log = try server.log { !$0.isEmpty }
    #expect(log.map(\.range) == ["bytes=1-3"])
    #expect(log.map(\.bodyBytesSent) == [3])

    let curl = ["-sS", "--cacert", server.certificate, server.secureURL("/a.txt")]
    #expect(try CommandRunner("curl", curl).run().output == "hello")
  }

  @Test func showsAnExpiredCertificate() throws {
    let folder = try TemporaryFolder()
    var settings = NginxServer.Settings()
    settings.certificate = SelfSignedCertificate(isExpired: true)
    let server = try NginxServer(serving: folder.path, settings: settings)
    let result = try CommandRunner("curl", ["-sS", "--cacert", server.certificate, server.secureURL("/")]).run()
    #expect(result.exitCode == 60)
    #expect(result.error.contains("expired"))
  }
}
