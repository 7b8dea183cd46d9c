/// What gives the pace where something that could come is held back.
package enum Pace: Hashable, Sendable {
  /// A limit on the rate.
  case limit
  /// A reader who takes its time.
  case reader
  /// Bytes from the front are waited for, and those behind them have no room until then: none of ours.
  case front
}

/// Since when, and for how long, the rates of connections are not their own.
struct PaceMemory: Hashable, Sendable {
  private var began = -Double.infinity
  private var last = -Double.infinity
  /// Seconds for which it is remembered.
  private var memory = 0.0

  /// In seconds, the most.
  private static let most = 1.0
  /// In seconds: what comes again after less than this has not ended.
  private static let pause = 0.1

  /// Something is held back now. A limit lets each piece wait for a moment only, but all of them. A reader that catches
  /// up at once has held back nothing that tells of the connections: how long it took is how long it is remembered.
  mutating func note(_ pace: Pace, at now: Double) {
    switch pace {
    case .limit: memory = Self.most
    case .reader:
      if now - last > max(memory, Self.pause) { (began, memory) = (now, 0) }
      memory = min(Self.most, max(memory, now - began))
    case .front: return
    }
    last = now
  }

  /// Until well after the last hold, rates are ours, not the connections'.
  func isRemembered(at now: Double) -> Bool { now - last < memory }
}
