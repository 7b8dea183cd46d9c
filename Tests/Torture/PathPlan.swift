internal import TestSupport

/// The way to the server: none, or a relay that delays, and perhaps ends connections in their middle.
struct PathPlan {
  let isRelayed: Bool
  private let delay: Duration
  /// Connections out of a hundred that end early.
  private let cuts: Int
  private let endings: [Reply.Ending]
  private let longest: Int64
  private let seed: UInt64

  /// `mayClose`: whether the end of a connection never passes for the end of a file.
  init(_ chance: inout Chance, seed: UInt64, length: Int64, mayClose: Bool) {
    self.seed = seed
    isRelayed = chance.odds(40)
    delay = .milliseconds(chance.pick([0, 3, 8, 15, 30, 60]))
    cuts = isRelayed && chance.odds(30) ? chance.pick([10, 50, 100]) : 0
    endings = mayClose ? [.close, .reset, .hang] : [.reset, .hang]
    longest = max(400, length / 2)
  }

  /// Whether connections end that should not.
  var isBad: Bool { cuts > 0 }

  /// A connection and an answer on it take the better part of the shortest stall time.
  var isLong: Bool { isRelayed && delay >= .milliseconds(30) }

  /// What becomes of a connection.
  func fate(of connection: Int, isHealed: Bool) -> TCPRelay.Fate {
    var chance = Chance(seed: seed &* 7919 &+ UInt64(connection))
    var fate = TCPRelay.Fate()
    fate.delay = delay
    guard !isHealed, chance.odds(cuts) else { return fate }
    fate.limit = chance.odds(20) ? chance.number(0...400) : chance.number(0...longest)
    fate.ending = chance.pick(endings)
    return fate
  }

  var description: String {
    isRelayed ? "relayed, \(delay) each way, \(cuts) % cut" : "direct"
  }
}
