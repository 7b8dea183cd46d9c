import DownloadCore
import Testing

/// Networks that nobody would think of, each the same every time.
@Suite struct RandomNetworkTests {
  /// `mayCrawl`: where enough others are at work to tell.
  private static func link(mayCrawl: Bool, _ random: inout SeededGenerator) -> SimulatedLink {
    var link = SimulatedLink(
      rate: .random(in: 0.2...4, using: &random) * 1_048_576, connectTime: .random(in: 0...0.3, using: &random),
      latency: .random(in: 0...0.4, using: &random))
    switch Int.random(in: 0..<16, using: &random) {
    case 0 where mayCrawl: link.rate /= 200
    case 1: link.later = (.random(in: 0...3, using: &random), 0)
    case 2 where mayCrawl: link.later = (.random(in: 0...3, using: &random), 2000)
    case 3: link.later = (.random(in: 0...3, using: &random), 8 * 1_048_576)
    case 4: link.breaksAfter = .random(in: 0...(2 << 20), using: &random)
    case 5: link.dripsHead = true
    case 6: link.latency = 5
    case 7: link.slice = .random(in: 1...(1 << 20), using: &random)
    case 8: link.rate *= 20
    default: break
    }
    return link
  }

  private static func missing(_ random: inout SeededGenerator) -> ByteRangeSet {
    let length = Int64.random(in: 1...(Bool.random(using: &random) ? 32 << 20 : 300_000), using: &random)
    var missing = ByteRangeSet(ByteRange(0, length))
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let start = Int64.random(in: 0...length, using: &random)
      missing.remove(ByteRange(start, .random(in: start...length, using: &random)))
    }
    if missing.isEmpty { missing.insert(ByteRange(0, length)) }
    return missing
  }

  private static func network(_ seed: UInt64) -> (NetworkSimulator, Int64) {
    var random = SeededGenerator(seed: seed)
    let missing = missing(&random)
    let count = Int.random(in: 1...12, using: &random)
    let limit = random.next() % 4 == 0 ? ConnectionLimit.automatic : .fixed(count)
    let most = random.next() % 3 == 0 ? Int.random(in: 1...4, using: &random) : .max
    let healthyFrom = random.next() % 5 == 0 ? Double.random(in: 0...8, using: &random) : 0
    var network = NetworkSimulator(
      length: 0, limit: limit, minimumSplit: [1, 4096, 65536, 1 << 20].randomElement(using: &random)!,
      stallTime: .random(in: 3...10, using: &random), missing: missing)
    let mayCrawl = min(count, most) >= 4
    let links = (0..<64).map { _ in link(mayCrawl: mayCrawl, &random) }
    network.link = { links[$0 % links.count] }
    network.trouble = { now, open in
      if now < healthyFrom { return .transient }
      return open > most ? .slowDown(retryAfter: seed % 2 == 0 ? 1 : nil) : nil
    }
    if random.next() % 3 == 0 { network.capacity = .random(in: 0.5...4, using: &random) * 1_048_576 }
    network.random = random
    return (network, missing.count)
  }

  @Test(arguments: 0..<10)
  func everyOneEnds(_ part: UInt64) {
    for seed in part * 100..<part * 100 + 100 {
      var (network, length) = Self.network(seed)
      let record = network.run()
      #expect(record.end != nil, "seed \(seed) never ended")
      #expect(record.isWhole(length), "seed \(seed): each byte once")
      #expect(record.problems.isEmpty, "seed \(seed)")
      #expect(record.starts.count < 400 + Int(record.end ?? 0) * 20, "seed \(seed): \(record.starts.count) requests")
    }
  }
}
