/// How many connections may be open at once: grows on evidence, gives way when the server refuses.
package struct AdaptiveLimit: Hashable, Sendable {
  /// Never more than this.
  package let most: Int
  /// Connections that may be open now, from 1 to `most`.
  package private(set) var current: Int
  /// Counts the refusals acted upon: those of requests sent before one belong to it.
  private(set) var generation = 0

  /// What the server was seen to bear; nil where it never refused.
  private var ceiling: Int?
  private var lastRefusal = -Double.infinity
  private var quietTime = 10.0
  private var growth: Growth?
  private var settling: Settling?

  /// The evidence for more connections.
  private struct Growth: Hashable, Sendable {
    /// A step brought too little: it was the last one.
    var isOver = false
    /// When all connections were at work since the last step, and the bytes until then.
    var mark: Mark?
    var rateBefore = 0.0
  }

  private struct Mark: Hashable, Sendable {
    var time: Double
    var total: Int64
  }

  /// A refusal whose contemporaries are still to be answered.
  private struct Settling: Hashable, Sendable {
    var before: Int
    var working = 0
  }

  /// `automatic` begins with this many.
  private static let firstStep = 4
  /// A step up must bring this much more, or it was the last one.
  private static let worthwhile = 1.15
  /// Seconds for a step to show what it brings, once all connections are at work.
  private static let window = 0.15
  /// The longer the path, the longer a connection takes to come to speed, and the more of them it takes to fill it:
  /// `automatic` begins with one for each so many seconds to an answer.
  private static let secondsToOne = 0.003

  /// Brings a fixed number within 1 to 64.
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

  /// On a long path `automatic` begins with more. In seconds from a request to its answer.
  mutating func noteLatency(_ seconds: Double) {
    guard let growth, !growth.isOver, current == Self.firstStep else { return }
    current = Int(min(Double(most), max(Double(current), seconds / Self.secondsToOne)))
  }

  /// So many were asked before there was a plan, and wait for no evidence.
  mutating func began(_ count: Int) {
    guard growth != nil else { return }
    current = min(most, max(current, count))
  }

  /// Whether the server has ever refused one more connection.
  var wasRefused: Bool { generation > 0 }

  /// Whether requests of before the last refusal are still to be answered: until then none is to be added.
  var isSettling: Bool { settling != nil }

  /// A request was refused for there being too many: half of the connections, or those that work, whichever is more.
  mutating func refused(generation: Int, working: Int, at now: Double) {
    lastRefusal = now
    growth = nil
    guard generation == self.generation else { return }
    self.generation += 1
    settling = Settling(before: current)
    if let ceiling, current > ceiling { quietTime = min(quietTime * 2, 300) }
    current = max(1, min(current - 1, max(current / 2, working)))
    ceiling = current
  }

  /// Once all that were asked before a refusal are answered, those that work are what the server bears.
  mutating func settle(working: Int, isPending: Bool) {
    guard var settling else { return }
    settling.working = max(settling.working, working)
    guard !isPending else {
      self.settling = settling
      return
    }
    self.settling = nil
    guard settling.working > 0 else { return }
    current = max(1, min(settling.before - 1, settling.working))
    ceiling = current
  }

  /// One more after a quiet time without a refusal; for `automatic`, twice as many while that brings more, or half as
  /// many again where there are many. `total` bytes came so far, `remaining` are to come, `busy` connections are at
  /// work; `latency` in seconds from a request to its answer.
  mutating func grow(total: Int64, busy: Int, remaining: Int64, latency: Double, at now: Double) {
    guard current < most, busy >= current, settling == nil else { return }
    if ceiling != nil {
      guard now - lastRefusal >= quietTime else { return }
      current += 1
      lastRefusal = now
    } else if growth?.isOver == false {
      growOnEvidence(total: total, remaining: remaining, window: max(Self.window, 2 * latency), at: now)
    }
  }

  /// What came so far tells nothing of what more connections would bring.
  mutating func forgetEvidence() { growth?.mark = nil }

  private mutating func growOnEvidence(total: Int64, remaining: Int64, window: Double, at now: Double) {
    guard let mark = growth!.mark else {
      growth!.mark = Mark(time: now, total: total)
      return
    }
    guard now - mark.time >= window, total > mark.total else { return }
    let rate = Double(total - mark.total) / (now - mark.time)
    guard Double(remaining) > rate else { return }
    guard rate > growth!.rateBefore * Self.worthwhile else {
      growth!.isOver = true
      return
    }
    growth!.rateBefore = rate
    growth!.mark = nil
    // Where a long path has asked for many at once, the next step is a small one: nothing was compared yet.
    current = min(most, current < 2 * Self.firstStep ? current * 2 : current * 3 / 2)
  }
}
