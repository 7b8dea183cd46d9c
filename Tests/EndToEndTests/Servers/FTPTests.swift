import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// FTP and FTPS, from a real vsftpd.
@Suite(.waiting, .enabled(if: VsftpdServer.executable != nil)) struct FTPTests {
  @Test func overSeveralConnections() throws {
    let place = try SourcePlace()
    let server = try VsftpdServer(serving: place.served.path)
    let result = try place.run("-n", "4", "--sha256", sha256(.ten), url: server.url("/file.bin"))
    try place.expectFile(result, says: "sha256 verified")
    #expect(try place.work.modificationTime("file.bin") == 1_577_836_801)
    let commands = try server.commands()
    #expect(Set(commands.filter { $0.hasPrefix("REST ") }).count >= 3, "\(commands)")
    // Each answer is compared with the version: its size and its date are asked for each time.
    let retrieved = commands.count { $0 == "RETR file.bin" }
    #expect(commands.count { $0 == "SIZE file.bin" } >= retrieved, "\(commands)")
    #expect(commands.count { $0 == "MDTM file.bin" } >= retrieved, "\(commands)")
    #expect(!commands.contains { $0.hasPrefix("TYPE A") })
  }

  /// Run again, nothing is fetched; with `--overwrite` everything is.
  @Test func whatIsHereIsNotFetchedAgain() throws {
    let place = try SourcePlace()
    let server = try VsftpdServer(serving: place.served.path)
    try place.expectFile(place.run(url: server.url("/file.bin")))
    let result = try place.run("--sha256", sha256(.ten), url: server.url("/file.bin"))
    try place.expectFile(result)
    #expect(try server.commands().count { $0.hasPrefix("RETR") } >= 1)
  }

  @Test func wrongDigest() throws {
    let place = try SourcePlace()
    let server = try VsftpdServer(serving: place.served.path)
    let wrong = String(repeating: "0", count: 64)
    let result = try place.run("--sha256", wrong, url: server.url("/file.bin"))
    try place.expect(result, exit: 5, leaving: ["file.bin.part", "file.bin.part.json"], says: "does not match")
  }

  /// Whoever can change what comes over plain FTP can choose what has the same MD5.
  @Test func aWeakDigestIsNoProof() throws {
    let place = try SourcePlace()
    let server = try VsftpdServer(serving: place.served.path)
    let md5 = try DigestTests.digest("md5", of: .ten)
    let result = try place.run("--md5", md5, url: server.url("/file.bin"))
    try place.expectFile(result, says: "md5 over plain ftp")
  }

  @Test(arguments: [true, false]) func emptyAndSmallFiles(isEmpty: Bool) throws {
    let content = isEmpty ? Content.text("") : .text("x")
    let place = try SourcePlace(content)
    let server = try VsftpdServer(serving: place.served.path)
    let result = try place.run("--json", url: server.url("/file.bin"))
    try place.expectFile(result)
    #expect(try ParsedJSON(parsing: result.output)["connections"].integer == 1, "\(result.output)")
    #expect(result.error.contains(", 1 connection)"), "\(result.error)")
  }

  @Test(arguments: ["1", "4"]) func goesOnAfterAKill(connections: String) throws {
    let place = try SourcePlace()
    var settings = VsftpdServer.Settings()
    settings.limitRate = 1_500_000
    let slow = try VsftpdServer(serving: place.served.path, settings: settings)
    let url = slow.url("/file.bin")
    try place.interrupt(["-n", connections], url)
    let kept = try #require(try place.manifest())
    #expect(kept.done > 0 && kept.url == url && kept.lastModified == "Wed, 01 Jan 2020 00:00:01 GMT")
    let result = try place.run("-n", connections, url: url)
    try place.expectFile(result, says: "resumed from")
    #expect(!result.error.contains("unverified"), "\(result.error)")
  }

  /// Its date has changed, its length not: what is here is of another version.
  @Test(arguments: [true, false]) func changedBetweenTwoRuns(keepsLength: Bool) throws {
    let place = try SourcePlace()
    var settings = VsftpdServer.Settings()
    settings.limitRate = 1_500_000
    let server = try VsftpdServer(serving: place.served.path, settings: settings)
    try place.interrupt(["-n", "4"], server.url("/file.bin"))
    let new = Content.pattern(length: keepsLength ? 10_000_001 : 9_000_000, seed: 2)
    try place.put(new, as: "file.bin", date: "2021-01-01 00:00:01")
    try place.expectFile(place.run("-n", "4", url: server.url("/file.bin")), of: new, says: "beginning again")
  }

  /// No byte of two versions is mixed.
  @Test func changesWhileItIsFetched() throws {
    let place = try SourcePlace()
    var settings = VsftpdServer.Settings()
    settings.limitRate = 1_500_000
    let server = try VsftpdServer(serving: place.served.path, settings: settings)
    let command = try place.command(["-n", "2"], server.url("/file.bin")).start()
    #expect(try server.waitForCommands { $0.contains { $0.hasPrefix("RETR") } })
    let new = Content.pattern(length: 10_000_001, seed: 2)
    try place.put(new, as: "other", date: "2021-01-01 00:00:01")
    #expect(rename(place.served.path("other"), place.served.path("file.bin")) == 0)
    let result = try command.result()
    #expect(result.exitCode == 0, "\(result.error)")
    let (isOld, isNew) = (
      try place.work.holds(.ten, in: "file.bin"), try place.work.holds(new, in: "file.bin")
    )
    #expect(isOld || isNew)
  }
}

/// What an FTP server refuses, or cannot do.
extension FTPTests {
  @Test(arguments: ["/missing.bin", "/no/such/folder.bin", "/folder"]) func nothingThere(path: String) throws {
    let place = try SourcePlace()
    try place.served.makeFolder("folder")
    let server = try VsftpdServer(serving: place.served.path)
    try place.expect(place.run(url: server.url(path)), exit: 4, says: "the server answered 550")
  }

  @Test func logins() throws {
    let place = try SourcePlace()
    var settings = VsftpdServer.Settings()
    settings.password = "S3CR3T"
    let server = try VsftpdServer(serving: place.served.path, settings: settings)
    let url = server.url("/file.bin")
    try place.expect(place.run("-v", url: url), exit: 4, says: "answered 530, it wants a login (-u)")
    try place.expect(place.run("-v", "-u", "ftp:bad", url: url), exit: 4, says: "it refuses this login")
    let typed = server.url("/file.bin", login: "ftp:S3CR3T@")
    try place.expectFile(place.run("-v", url: typed))
    place.work.remove("file.bin")
    try place.expectFile(place.run("-v", "-u", "ftp:S3CR3T", url: url))
    place.work.remove("file.bin")
    try place.work.write("machine 127.0.0.1 login ftp password S3CR3T\n", to: "netrc")
    var command = place.command(["-v", "--netrc"], url)
    command.environment["NETRC"] = place.work.path("netrc")
    let result = try command.run()
    place.work.remove("netrc")
    try place.expectFile(result)
  }

  /// A login is for its server, and not kept.
  @Test func theManifestKeepsNoLogin() throws {
    let place = try SourcePlace()
    var settings = VsftpdServer.Settings()
    (settings.password, settings.limitRate) = ("S3CR3T", 1_500_000)
    let server = try VsftpdServer(serving: place.served.path, settings: settings)
    try place.interrupt(["-n", "2"], server.url("/file.bin", login: "ftp:S3CR3T@"))
    #expect(try !place.work.text("file.bin.part.json").contains("S3CR3T"))
    try place.expectFile(place.run("-n", "2", "-u", "ftp:S3CR3T", url: server.url("/file.bin")), says: "resumed from")
  }

  /// Fewer connections do it, too.
  @Test func tooManyConnections() throws {
    let place = try SourcePlace()
    var settings = VsftpdServer.Settings()
    (settings.mostConnections, settings.limitRate) = (2, 3_000_000)
    let server = try VsftpdServer(serving: place.served.path, settings: settings)
    try place.expectFile(place.run("-n", "8", "-v", url: server.url("/file.bin")), says: "the server answered 421")
  }

  /// Where a server cannot begin anywhere but at 0, one connection fetches all.
  @Test func withoutREST() throws {
    let place = try SourcePlace()
    var settings = VsftpdServer.Settings()
    settings.denied = ["REST"]
    let server = try VsftpdServer(serving: place.served.path, settings: settings)
    try place.expectFile(place.run("-n", "4", url: server.url("/file.bin")), says: "over one connection")
  }

  @Test func withoutDate() throws {
    let place = try SourcePlace()
    var settings = VsftpdServer.Settings()
    settings.denied = ["MDTM"]
    let server = try VsftpdServer(serving: place.served.path, settings: settings)
    try place.expectFile(place.run("-n", "4", url: server.url("/file.bin")))
  }

  /// Nothing but a login of its own, and what each connection can do, differs.
  @Test func limitedRate() throws {
    let place = try SourcePlace(.pattern(length: 3_000_000))
    let server = try VsftpdServer(serving: place.served.path)
    let result = try place.run("-n", "2", "--limit-rate", "2M", url: server.url("/file.bin"))
    try place.expectFile(result)
    #expect(result.elapsed > .milliseconds(900), "\(result.elapsed)")
  }

  @Test func nobodyListens() throws {
    let place = try SourcePlace()
    let refusing = try RefusingPort()
    let result = try place.run("--give-up-after", "1", url: "ftp://127.0.0.1:\(refusing.number)/file.bin")
    try place.expect(result, exit: 3, says: "failed to connect to 127.0.0.1")
  }

  /// What came is kept, and gone on with at another address.
  @Test func theServerDies() throws {
    let place = try SourcePlace()
    var settings = VsftpdServer.Settings()
    settings.limitRate = 2_000_000
    let first = try VsftpdServer(serving: place.served.path, settings: settings)
    let command = try place.command(["-n", "2"], first.url("/file.bin")).start()
    #expect(try first.waitForCommands { $0.count { $0.hasPrefix("RETR") } >= 2 })
    first.stop()
    let result = try command.result()
    try place.expect(result, exit: 3, leaving: ["file.bin.part", "file.bin.part.json"], says: "to resume")
    // A new address is typed as well.
    let second = try VsftpdServer(serving: place.served.path)
    let again = CommandRunner.swoop("resume", "file.bin.part", "--url", second.url("/file.bin"), in: place.work)
    try place.expectFile(again.run(), says: "resumed from")
  }

  private func sha256(_ content: Content) throws -> String { try DigestTests.digest("sha256", of: content) }
}
