/// What a connection of a simulated network can do.
struct SimulatedLink: Sendable {
  /// Bytes a second.
  var rate = 4.0 * 1024 * 1024
  /// Seconds to make it, and from a request to its answer.
  var connectTime = 0.05
  var latency = 0.05
  /// So many seconds after it was made, it delivers so many bytes a second instead; nothing, where it dies in silence.
  var later: (after: Double, rate: Double)?
  /// From these times of the network on, in ascending order, it delivers so many bytes a second.
  var changes: [(at: Double, rate: Double)] = []
  /// A token bucket over all requests of a connection: so many bytes go at so many bytes a second, the rest at `rate`.
  var burst: (bytes: Double, rate: Double)?
  /// The connection begins with ten segments in each latency and doubles them until it has its rate, as TCP does
  /// (RFC 6928, RFC 5681).
  var beginsSlowly = false
  /// Broken after so many bytes, over all its requests.
  var breaksAfter = Int64.max
  /// A byte of the head each second, and never the last one.
  var dripsHead = false
  /// The server answers for no more than this of a range.
  var slice = Int64.max

  /// Ten segments, in bytes.
  static let firstWindow = 14_336.0

  /// Seconds from asking for a range on a new connection to its first byte.
  var newRequestTime: Double { connectTime + latency }
}

/// One connection, from when it is asked for until it is dropped.
struct SimulatedConnection: Sendable {
  let link: SimulatedLink
  let place: Int
  /// When it is made.
  let madeAt: Double
  /// Delivered so far.
  private(set) var bytes = 0.0
  /// Bytes that may still go faster than the link's rate.
  private var tokens: Double
  /// When the first body began.
  var beganAt: Double?

  init(_ link: SimulatedLink, place: Int, madeAt: Double) {
    self.link = link
    self.place = place
    self.madeAt = madeAt
    tokens = link.burst?.bytes ?? 0
  }

  /// Bytes a second that it would deliver alone, and until when at most.
  func pace(at now: Double) -> (rate: Double, until: Double) {
    var pace = steadyPace(at: now)
    if let burst = link.burst, tokens >= 1, burst.rate > pace.rate {
      let end = now + tokens / (burst.rate - pace.rate)
      pace = (burst.rate, min(pace.until, end))
    }
    guard link.beginsSlowly, let beganAt else { return pace }
    let doublings = ((now - beganAt) / link.latency + 1e-6).rounded(.down)
    var window = SimulatedLink.firstWindow
    for _ in 0..<Int(min(doublings, 40)) { window *= 2 }
    guard window / link.latency < pace.rate else { return pace }
    return (window / link.latency, min(pace.until, beganAt + (doublings + 1) * link.latency))
  }

  private func steadyPace(at now: Double) -> (rate: Double, until: Double) {
    var pace = (rate: link.rate, until: Double.infinity)
    for change in link.changes {
      guard change.at <= now else {
        pace.until = change.at
        break
      }
      pace.rate = change.rate
    }
    if let later = link.later {
      if now >= madeAt + later.after { return (later.rate, .infinity) }
      pace.until = min(pace.until, madeAt + later.after)
    }
    return pace
  }

  /// Time passes, in which it delivered so many bytes.
  mutating func pass(_ seconds: Double, from now: Double, delivering count: Double) {
    bytes += count
    guard let burst = link.burst else { return }
    tokens = max(0, min(burst.bytes, tokens + steadyPace(at: now).rate * seconds - count))
  }
}

/// What each of several connections gets where all share a bottleneck: max-min fair, in bytes a second.
func fairShares(of capacity: Double, among demands: [Double]) -> [Double] {
  guard demands.reduce(0, +) > capacity else { return demands }
  var left = capacity
  var level = 0.0
  var count = demands.count
  for demand in demands.sorted() {
    level = left / Double(count)
    guard demand < level else { break }
    left -= demand
    count -= 1
  }
  return demands.map { min($0, level) }
}

/// Seconds in which these links together deliver so many bytes at best: the bytes over the integral of the true rates
/// of the best `most` of them, within the bottleneck. No request and no connection takes any time.
func idealTime(
  for length: Int64, links: [SimulatedLink], most: Int = .max, capacity: Double = .infinity
) -> Double {
  var connections = links.enumerated().map { index, link in
    var link = link
    link.beginsSlowly = false
    return SimulatedConnection(link, place: index, madeAt: 0)
  }
  var now = 0.0
  var left = Double(length)
  while true {
    let paces = connections.map { $0.pace(at: now) }
    let ranked = paces.indices.sorted { paces[$0].rate > paces[$1].rate }.prefix(most)
    let shares = fairShares(of: capacity, among: ranked.map { paces[$0].rate })
    let total = shares.reduce(0, +)
    let step = max(1e-9, min((paces.map(\.until).min() ?? .infinity) - now, left / total))
    for (index, share) in zip(ranked, shares) {
      connections[index].pass(step, from: now, delivering: share * step)
    }
    now += step
    left -= total * step
    if left < 0.5 { return now }
  }
}
