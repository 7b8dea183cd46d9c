import DownloadCore
import Testing

/// Thousands of networks, each the same every time: what a download costs in them is bounded.
@Suite struct NetworkBoundsTests {
  private static let seeds: UInt64 = 100

  @Test(arguments: SimulatedCase.Kind.allCases, 0..<2 as Range<UInt64>)
  func eachIsWithinItsBounds(_ kind: SimulatedCase.Kind, _ part: UInt64) {
    for seed in part * Self.seeds..<(part + 1) * Self.seeds { check(SimulatedCase(kind, seed: seed)) }
  }

  private func check(_ network: SimulatedCase) {
    var simulator = network.network
    let record = simulator.run()
    let name = "\(network.kind) \(network.seed)"
    #expect(record.isWhole(network.length), "\(name): each byte once")
    #expect(record.problems.isEmpty, "\(name)")
    guard let end = record.end else {
      Issue.record("\(name) never ended")
      return
    }
    let most = network.mostSeconds(record, bans: simulator.server.bans)
    #expect(end <= most, "\(name): \(end) s, at most \(most)")
    #expect(record.starts.count <= network.mostRequests(record), "\(name): \(record.starts.count) requests")
    // Waiting on purpose is no stall.
    #expect(record.stops.count { $0.reason == .stalled } <= record.deaths, "\(name)")
    if network.keepsAllBusy { #expect(record.longestIdle <= 0.2, "\(name): idle for \(record.longestIdle) s") }
  }
}
