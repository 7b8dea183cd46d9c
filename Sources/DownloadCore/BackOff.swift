/// How long to wait before the next try after a transient fault.
package enum BackOff {
  /// The wait before the first repetition, in seconds, before chance is added.
  package static let shortest = 0.25
  /// What the doubling stops at, in seconds, before chance is added.
  package static let longest = 30.0

  /// Seconds to wait before repetition `attempt` (the first is 1): 0.25 s, doubled each time up to 30 s, then made up
  /// to half shorter or longer by `random`, from 0 to 1, so that many connections do not come back at one moment.
  package static func delay(attempt: Int, random: Double) -> Double {
    var wait = shortest
    for _ in 1..<max(1, min(attempt, 16)) { wait = min(wait * 2, longest) }
    return wait * (0.5 + min(max(random, 0), 1))
  }
}
