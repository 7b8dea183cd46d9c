/// How many connections may be open at once: grows on evidence, gives way when the server refuses.
package struct AdaptiveLimit: Hashable, Sendable {
  /// Never more than this.
  package let most: Int
  package private(set) var current: Int
  /// Counts the refusals acted upon: those of requests sent before one belong to it.
  private(set) var generation = 0

  /// What the server was seen to bear; nil where it never refused.
  private var ceiling: Int?
  private var lastRefusal = -Double.infinity
  private var quietTime = 10.0
  private var growth: Growth?

  /// The evidence for more connections.
  private struct Growth: Hashable, Sendable {
    var since: Double?
    var rateBefore = 0.0
  }

  /// `automatic` begins with this many.
  private static let firstStep = 4
  /// A step up must bring this much more, or it was the last one.
  private static let worthwhile = 1.15
  /// Seconds for a step to show what it brings.
  private static let window = 1.5

  package init(_ limit: ConnectionLimit) {
    switch limit {
    case .fixed(let count):
      most = min(max(1, count), ConnectionLimit.most)
      current = most
    case .automatic:
      most = ConnectionLimit.automaticMost
      current = Self.firstStep
      growth = Growth()
    }
  }

  /// A request was refused for there being too many: half of the connections, or those that work, whichever is more.
  mutating func refused(generation: Int, working: Int, at now: Double) {
    lastRefusal = now
    growth = nil
    guard generation == self.generation else { return }
    self.generation += 1
    if let ceiling, current > ceiling { quietTime = min(quietTime * 2, 300) }
    current = max(1, min(current - 1, max(current / 2, working)))
    ceiling = current
  }

  /// One more after a quiet time without a refusal; for `automatic`, twice as many while that brings more.
  /// `rate` in bytes a second over all, `busy` the connections at work while more is waiting.
  mutating func grow(rate: Double, busy: Int, remaining: Int64, at now: Double) {
    if ceiling != nil {
      guard current < most, now - lastRefusal >= quietTime, busy >= current else { return }
      current += 1
      lastRefusal = now
      return
    }
    guard var growth, busy >= current, current < most, rate > 0 else { return }
    defer { self.growth = growth }
    guard let since = growth.since else {
      growth.since = now
      return
    }
    guard now - since >= Self.window, Double(remaining) > rate else { return }
    guard rate > growth.rateBefore * Self.worthwhile else {
      growth.since = .infinity
      return
    }
    growth.rateBefore = rate
    growth.since = now
    current = min(most, current * 2)
  }
}
