import DownloadCore

/// What a download in a simulated network may cost at most.
///
/// A request's latency is the time from asking for a range on a new connection to its first byte: two round trips.
extension SimulatedCase {
  /// Seconds from asking to the first byte, on a new connection.
  var requestTime: Double { links.reduce(0) { max($0, $1.newRequestTime) } }

  /// Seconds to the last byte: a tenth more than at best and two requests where the rates stay, a quarter more and four
  /// where they change; and what the network's own troubles cost beyond that.
  func mostSeconds(_ record: SimulationRecord, bans: Int) -> Double {
    let changes = kind == .changing || kind == .paused
    let best = best(record, bans: bans)
    return (changes ? 1.25 : 1.1) * best + (changes ? 4 : 2) * requestTime
      + Double(record.deaths) * stallTime + growthTime + waits(record, bans: bans) + (isShort(best) ? learningTime : 0)
  }

  /// At best, with as many connections as there were at most; each ban leaves half of them, and what it refuses after
  /// that half of those: the server's refusals lower the limit.
  private func best(_ record: SimulationRecord, bans: Int) -> Double {
    guard kind == .automatic || bans > 0 else { return ideal }
    let left = max(1, min(count, record.mostActive) >> (2 * bans))
    return idealTime(for: length, links: Array(links.prefix(left)), capacity: capacity)
  }

  /// So short that what is given out before any rate is known is much of it.
  private func isShort(_ best: Double) -> Bool { best < max(4, 20 * requestTime) }

  /// Rates are known after 0.4 s; what was given out wrongly until then takes one more request.
  private var learningTime: Double { 0.4 + requestTime }

  /// Seconds until a connection that begins slowly has its rate, and until `automatic` has found its number: it doubles
  /// it up to three times, each time by what a window of 0.5 s and of three latencies shows.
  private var growthTime: Double {
    if kind == .automatic { return 3 * (0.5 + 3 * latency) }
    return links.filter(\.beginsSlowly).reduce(0) { max($0, Double($1.doublings(to: capacity)) * $1.latency) }
  }

  /// Seconds of waits that the server imposes: its Retry-After, and each ban's time, after which the back-off, doubled
  /// and up to half longer or shorter, may have as much again to run three times over.
  private func waits(_ record: SimulationRecord, bans: Int) -> Double {
    let asked = record.refusals > 0 ? 2 * (server.retryAfter ?? 0) : 0
    return asked + Double(bans) * (server.patience?.ban ?? 0) * (server.retryAfter == nil ? 4 : 1.5)
  }

  /// Requests that are answered: the first ones, as many to share what is left each time that half is done, and a
  /// round each eight seconds; and one more for each death.
  func mostRequests(_ record: SimulationRecord) -> Int {
    count * (6 + Int((record.end ?? 0) / 4)) + record.deaths + record.refusals
  }
}

extension SimulatedLink {
  /// How often it doubles its first window until it has its rate.
  func doublings(to capacity: Double) -> Int {
    var (window, count) = (Self.firstWindow, 0)
    while window < min(rate, capacity) * latency {
      window *= 2
      count += 1
    }
    return count
  }
}
