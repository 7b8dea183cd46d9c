import FaultCatalogue
import TestSupport
import Testing

/// The clock on the wall is somebody else's to set: no time-out goes by it.
@Suite(.waiting, .enabled(if: Machine.hasFaultShim, Machine.noFaultShim)) struct ClockTests {
  private static let tenYears: Int64 = 315_360_000

  @Test(.row("L18"), arguments: [tenYears, -tenYears]) func l18TheClockJumps(seconds: Int64) throws {
    let content = Content.million
    let trial = try Trial(content, .file(content) { $0.rate = 150_000 })
    let result = try trial.run(with: [Fault("pwrite", names: ".part", first: 8, .clock(seconds: seconds))])
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("no byte") && !result.error.contains("trying again"), "\(result.error)")
    #expect(result.elapsed < .seconds(30), "\(result.elapsed)")
  }

  /// A connection that has proved its certificate already goes on.
  @Test(
    .row("L18"), .enabled(if: NginxServer.executable != nil, "nginx is not installed"),
    arguments: [tenYears, -tenYears])
  func l18AnOpenTLSConnectionGoesOn(seconds: Int64) throws {
    let (served, place) = (try TemporaryFolder(), try TemporaryFolder())
    try served.write(.million, to: "file.bin")
    try served.setMode(0o755, of: "")
    var settings = NginxServer.Settings()
    settings.certificate = SelfSignedCertificate()
    settings.limitRate = "500k"
    let server = try NginxServer(serving: served.path, settings: settings)
    let words = ["-n", "1", "--stall-timeout", "2", "--give-up-after", "4", "--cacert", server.certificate]
    let play = try FaultPlay([Fault("pwrite", names: ".part", first: 3, .clock(seconds: seconds))])
    let result = try play.runner(.swoop(words + [server.secureURL("/file.bin")], in: place), in: place.path).run()
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(try play.outcomes().first?.played == 1)
    #expect(!result.error.contains("trying again"), "\(result.error)")
    #expect(try place.names() == ["file.bin"])
    #expect(try place.holds(.million, in: "file.bin"))
  }

  /// A part is trusted by what the file system says of it, not by what the time is.
  @Test(.row("L18"), arguments: [tenYears, -tenYears]) func l18AResumedRunTrustsItsPart(seconds: Int64) throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    let before = trial.server.settledLog().entries.count
    let result = try trial.run(with: [Fault("openat", count: 1, .clock(seconds: seconds))])
    try trial.expect(result, exit: 0, .file)
    let again = trial.asked(since: before).contains { range in manifest.segments.contains { $0.range.overlaps(range) } }
    #expect(!again)
  }
}
