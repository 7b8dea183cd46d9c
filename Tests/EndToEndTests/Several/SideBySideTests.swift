import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Large files side by side: one budget of connections, and one end for all.
@Suite(.waiting) struct SideBySideTests {
  private static let length: Int64 = 6_000_001
  private static func content(_ number: Int) -> Content { .pattern(length: length, seed: UInt64(number)) }

  private func shelf(_ adjust: (inout ScriptedServer.Settings) -> Void = { _ in }) throws -> Shelf {
    var settings = ScriptedServer.Settings()
    settings.rate = 3_000_000
    adjust(&settings)
    return try Shelf(settings: settings) { request in
      guard request.path.hasPrefix("/big") else { return nil }
      return .file(Self.content(Int(request.path.dropFirst(4)) ?? 0))
    }
  }

  private func isWhole(_ shelf: Shelf, _ number: Int) throws -> Bool {
    try shelf.place.holds(Self.content(number), in: "big\(number)")
  }

  /// Never more connections to one host than were asked for, those that are kept for small files among them.
  @Test(arguments: [(1, 3), (4, 2), (6, 3)]) func oneBudgetForAll(connections: Int, jobs: Int) throws {
    let shelf = try shelf()
    let urls = (0..<4).map { shelf.server.url("/big\($0)") + "\n" }
    let list = urls[0] + shelf.list(0..<6) + urls[1] + urls[2] + shelf.list(6..<9) + urls[3]
    let result = try shelf.run(list, "-n", "\(connections)", "-j", "\(jobs)")
    #expect(result.exitCode == 0, "\(result.error)")
    for number in 0..<4 { #expect(try isWhole(shelf, number)) }
    for number in 0..<9 { #expect(try shelf.holds(number, in: "f\(number).bin")) }
    let log = shelf.server.settledLog()
    #expect(log.maxConcurrentConnections <= connections, "\(log.maxConcurrentConnections)")
    #expect(result.error.contains("13 of 13 files saved"), "\(result.error)")
  }

  /// The last one gets what the others leave.
  @Test func aShareGrows() throws {
    let shelf = try shelf()
    let result = try shelf.run((0..<2).map { shelf.server.url("/big\($0)") + "\n" }.joined(), "-n", "4", "--json")
    #expect(result.exitCode == 0, "\(result.error)")
    let log = shelf.server.settledLog()
    #expect((2...4).contains(log.maxConcurrentConnections), "\(log.maxConcurrentConnections)")
  }

  /// Several URLs are fetched side by side as well; one after another with -j 1.
  @Test(arguments: [1, 3]) func severalURLs(jobs: Int) throws {
    let shelf = try shelf()
    let urls = (0..<3).map { shelf.server.url("/big\($0)") }
    let result = try CommandRunner.swoop(["-n", "3", "-j", "\(jobs)"] + urls, in: shelf.place).run()
    #expect(result.exitCode == 0, "\(result.error)")
    for number in 0..<3 { #expect(try isWhole(shelf, number)) }
    let paths = shelf.server.settledLog().entries.filter { $0.request.range != nil }.map(\.request.path)
    if jobs == 1 { #expect(paths == paths.sorted()) }
  }

  /// A signal saves all that are under way, and the same command goes on with them.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalSavesAll(signal: Int32) throws {
    let shelf = try shelf { $0.rate = 800_000 }
    let urls = (0..<3).map { shelf.server.url("/big\($0)") + "\n" }.joined()
    let list = shelf.list(0..<3) + urls
    let command = try shelf.command(Array(list.utf8), ["-n", "3", "-j", "3"]).start()
    let isUnderWay = shelf.server.waitUntil(timeout: .seconds(20)) { log in
      (0..<3).allSatisfy { number in
        log.entries.contains { $0.request.path == "/big\(number)" && $0.bodyBytesSent > 500_000 }
      }
    }
    command.signal(signal)
    let result = try command.result()
    #expect(isUnderWay && result.termination == .signalled(signal), "\(result.error)")
    #expect(result.error.count(of: "run the same command again") == 1, "\(result.error)")
    let names = Set(try shelf.place.names())
    for number in 0..<3 {
      #expect(names.isSuperset(of: ["f\(number).bin", "big\(number).part", "big\(number).part.json"]), "\(names)")
      let manifest = try StoredManifest(shelf.place.bytes("big\(number).part.json"))
      #expect(manifest.done > 0)
      try manifest.expectHonest(shelf.place, "big\(number).part", Self.content(number), #_sourceLocation)
    }
    let sent = shelf.server.settledLog().bodyBytesSent
    let fast = try shelf.command(Array(urls.utf8), ["-n", "6"]).run()
    #expect(fast.exitCode == 0 && fast.error.contains("resumed from"), "\(fast.error)")
    for number in 0..<3 { #expect(try isWhole(shelf, number)) }
    #expect(shelf.server.settledLog().bodyBytesSent - sent < 3 * Self.length)
  }

  @Test func eventsNameTheirFiles() throws {
    let shelf = try shelf()
    let urls = (0..<2).map { shelf.server.url("/big\($0)") }
    let result = try CommandRunner.swoop(
      ["--progress", "json"] + urls + [shelf.server.url("/f9.bin")], in: shelf.place
    )
    .run()
    #expect(result.exitCode == 0, "\(result.error)")
    let events = try result.error.split(separator: "\n").map { try ParsedJSON(parsing: $0) }
    for file in 1...3 {
      let own = events.filter { $0["file"].integer == Int64(file) }
      #expect(own.last?["event"].string == "end" && own.count { $0["event"].string == "end" } == 1)
      if file < 3 { #expect(own.first { $0["event"].string == "start" }?["path"].string == "big\(file - 1)") }
      let done = own.filter { $0["event"].string == "progress" }.compactMap { $0["done"].integer }
      #expect(done == done.sorted())
    }
    #expect(events.contains { $0["message"].string?.hasPrefix("3 of 3 files saved") == true })
  }

  /// With few descriptors there are fewer files at a time, and all of them come.
  @Test func fewDescriptors() throws {
    let shelf = try shelf { $0.rate = nil }
    try shelf.place.write(
      shelf.list(0..<40) + (0..<3).map { shelf.server.url("/big\($0)") + "\n" }.joined(), to: "list")
    let command = CommandRunner.swoop("-j", "8", "-i", "list", in: shelf.place)
    let result = try Machine.shell("ulimit -Hn 40; ulimit -n 40", command).run()
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(try shelf.place.names().count == 44)
  }
}
