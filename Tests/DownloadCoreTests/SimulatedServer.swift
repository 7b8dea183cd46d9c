import DownloadCore

/// What a simulated server bears.
struct SimulatedServer: Sendable {
  /// Requests served at once; one more is refused.
  var most = Int.max
  /// What a refusal says, in seconds.
  var retryAfter: Double?
  /// So many requests within so many seconds are answered; after one more it refuses all for a time.
  var patience: (requests: Int, interval: Double, ban: Double)?
  /// Until this time every request fails.
  var isWellFrom = -Double.infinity

  private var asked: [Double] = []
  private(set) var bannedUntil = -Double.infinity
  private(set) var bans = 0

  /// What it says to a request instead of an answer: at this time, with so many requests being served.
  mutating func trouble(at now: Double, serving: Int) -> RangeScheduler.Trouble? {
    if now < isWellFrom { return .transient }
    if now < bannedUntil { return refusal(bannedUntil - now) }
    if let patience {
      asked.removeAll { $0 <= now - patience.interval }
      asked.append(now)
      if asked.count > patience.requests {
        bannedUntil = now + patience.ban
        bans += 1
        return refusal(patience.ban)
      }
    }
    return serving >= most ? .slowDown(retryAfter: retryAfter) : nil
  }

  private func refusal(_ seconds: Double) -> RangeScheduler.Trouble {
    .slowDown(retryAfter: retryAfter == nil ? nil : seconds)
  }
}
