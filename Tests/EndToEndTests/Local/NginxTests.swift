import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// The main job against a real server.
@Suite(.waiting, .enabled(if: NginxServer.executable != nil, "nginx is not installed")) struct NginxTests {
  private let served: TemporaryFolder
  private let place: TemporaryFolder
  private let content = Content.pattern(length: 20_000_001, seed: 7)

  init() throws {
    served = try TemporaryFolder()
    place = try TemporaryFolder()
    try served.write(content, to: "file.bin")
    let path = served.path("file.bin")
    var times = [timespec(tv_sec: 1_700_000_000, tv_nsec: 0), timespec(tv_sec: 1_600_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
    // A server of its own user reads it.
    try served.setMode(0o755, of: "")
  }

  private func server(_ adjust: (inout NginxServer.Settings) -> Void = { _ in }) throws -> NginxServer {
    var settings = NginxServer.Settings()
    adjust(&settings)
    return try NginxServer(serving: served.path, settings: settings)
  }

  @Test(arguments: [1, 2, 8], [false, true]) func fetchesOverSeveralConnections(count: Int, secure: Bool) throws {
    let server = try server { $0.certificate = secure ? SelfSignedCertificate() : nil }
    let trust = secure ? ["--cacert", server.certificate] : []
    let url = secure ? server.secureURL("/file.bin") : server.url("/file.bin")
    let result = try Machine.shell("umask 027", .swoop(trust + ["-n", "\(count)", url], in: place)).run()
    #expect(result.exitCode == 0, "\(result.error)")
    try expectFinished()
    #expect(try place.modificationTime("file.bin") == 1_600_000_000)
    #expect(try place.mode("file.bin") == 0o640)
    let requests = try server.log { log in log.count { $0.method == "GET" } >= count && isCovered(by: log) }
    #expect(requests.first?.method == "HEAD")
    expectDisjoint(requests, connections: count)
    #expect(isCovered(by: requests))
  }

  @Test func refusesACertificateThatItDoesNotKnow() throws {
    let server = try server { $0.certificate = SelfSignedCertificate() }
    let result = try CommandRunner.swoop(server.secureURL("/file.bin"), in: place).run()
    #expect(result.exitCode == 8, "\(result.error)")
    #expect(try place.names().isEmpty)
    let insecure = try CommandRunner.swoop("-k", server.secureURL("/file.bin"), in: place).run()
    #expect(insecure.exitCode == 0, "\(insecure.error)")
    try expectFinished()
  }

  @Test(arguments: [1, 4, 8]) func resumesAfterKills(count: Int) throws {
    // Each request has this rate: the file takes about two seconds more than all the kills.
    let server = try server { $0.limitRate = "\(4_000_000 / count)" }
    var chance = SplitMix64(state: UInt64(count))
    let command = CommandRunner.swoop("-n", "\(count)", server.url("/file.bin"), in: place)
    for _ in 0..<2 {
      let run = try command.start()
      _ = run.waitForExit(timeout: .milliseconds(Int.random(in: 1000...2600, using: &chance)))
      run.kill()
      _ = try run.result()
      try manifest()?.expectHonest(place, "file.bin.part", content, #_sourceLocation)
    }
    let claimed = try manifest()?.segments ?? []
    let before = try server.log().count
    let result = try command.run()
    #expect(result.exitCode == 0, "\(result.error)")
    try expectFinished()
    let requests = try server.log { isCovered(by: Array($0.dropFirst(before)), beside: claimed.map(\.range)) }
    for range in requests.dropFirst(before).compactMap(\.asked) {
      #expect(!claimed.contains { $0.range.overlaps(range) }, "\(range) was here already")
    }
  }

  @Test func survivesALimitOfConnections() throws {
    let server = try server {
      $0.limitConnections = 2
      $0.limitRate = "8m"
    }
    let result = try CommandRunner.swoop("-n", "8", server.url("/file.bin"), in: place).run()
    #expect(result.exitCode == 0, "\(result.error)")
    try expectFinished()
  }

  private func manifest() throws -> StoredManifest? {
    place.contains("file.bin.part.json") ? try StoredManifest(place.bytes("file.bin.part.json")) : nil
  }

  private func expectFinished(_ location: SourceLocation = #_sourceLocation) throws {
    #expect(try place.names() == ["file.bin"], sourceLocation: location)
    #expect(try place.holds(content, in: "file.bin"), sourceLocation: location)
  }

  /// Whether what was asked for is the whole file, but for what is here.
  private func isCovered(by log: [NginxServer.LogEntry], beside present: [Range<Int64>] = []) -> Bool {
    var end: Int64 = 0
    for range in (log.compactMap(\.asked) + present).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard range.lowerBound <= end else { return false }
      end = max(end, range.upperBound)
    }
    return end == content.length
  }

  /// No byte is asked for twice, but for the rest of a range that another connection took over; and but for what is on
  /// its way of a first GET that went out before HEAD's answer.
  private func expectDisjoint(_ log: [NginxServer.LogEntry], connections: Int) {
    let ranges = log.filter { $0.range?.hasSuffix("-") != true }.compactMap(\.asked)
    for (index, range) in ranges.enumerated() {
      for other in ranges[(index + 1)...] where range.overlaps(other) {
        #expect(range.lowerBound != other.lowerBound, "\(range) was asked for twice")
        let (outer, inner) = range.lowerBound < other.lowerBound ? (range, other) : (other, range)
        #expect(inner.upperBound <= outer.upperBound, "\(range) and \(other) overlap")
      }
    }
    if connections == 1 { #expect(ranges == [0..<content.length]) }
  }
}

extension NginxServer.LogEntry {
  /// The bytes that a GET asks for, or has got where it asks for all.
  fileprivate var asked: Range<Int64>? {
    guard method == "GET", let range, range.hasPrefix("bytes=") else { return nil }
    let ends = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int64($0) }
    if ends.count == 1, range.hasSuffix("-") { return ends[0]..<ends[0] + Int64(bodyBytesSent) }
    return ends.count == 2 && ends[0] <= ends[1] ? ends[0]..<ends[1] + 1 : nil
  }
}
