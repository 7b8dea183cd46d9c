import DownloadCore
import Testing

/// Connections that begin as TCP's do: ten segments in the first round trip, twice as many in each one after it.
@Suite struct SlowStartTests {
  /// 64 MiB over 50 ms, where every fourth connection gets 1 Mbit/s and the others 20 Mbit/s.
  @Test func everyFourthSlowCostsLittle() throws {
    let (length, fast, slow) = (64 * mebi, 2_500_000.0, 125_000.0)
    var network = NetworkSimulator(length: length, limit: .fixed(16))
    network.link = { SimulatedLink(rate: $0 % 4 == 3 ? slow : fast, beginsSlowly: true) }
    let record = try finish(&network, length)
    #expect(record.end! <= 1.2 * Double(length) / (12 * fast + 4 * slow))
    // One new connection for each slow one, and about one more round of requests.
    #expect(record.stops.count <= 5 && record.starts.count <= 48)
  }

  /// On a long path nobody takes from a connection that still grows.
  @Test(arguments: [12.5, 50, 1000], [0, 0.5] as [Double])
  func nobodyTakesFromOneThatStillGrows(_ megabytes: Double, _ jitter: Double) throws {
    var network = NetworkSimulator(length: 64 * mebi, limit: .fixed(16))
    network.capacity = megabytes * 1e6
    network.link = {
      let latency = 0.2 * (1 + jitter * Double($0 * 5 % 16) / 16)
      return SimulatedLink(rate: 10e6, connectTime: latency, latency: latency, beginsSlowly: true)
    }
    let record = try finish(&network, 64 * mebi)
    #expect(record.stops.isEmpty && record.starts.count <= 24)
  }
}
