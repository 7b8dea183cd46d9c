/// What asking costs, as measured so far, in seconds.
struct RequestTimes: Hashable, Sendable {
  /// From a request to its answer, smoothed; nil before the first answer.
  private var smoothedAnswer: Double?
  private var shortestAnswer: Double?
  /// To make a connection, smoothed; nil before the first one.
  private var smoothedConnection: Double?

  /// Before the first answer: some round trips of a long path, so that no request counts as cheap.
  private static let assumedAnswer = 0.2
  /// The part that a new time has in the smoothed one: some five of them tell what holds now.
  private static let weight = 0.3

  /// From a request to its answer.
  var answer: Double { smoothedAnswer ?? Self.assumedAnswer }
  /// The shortest so far: what a request costs where nothing waits for us.
  var leastAnswer: Double { shortestAnswer ?? answer }
  /// To make a connection; 0 before the first one.
  var connection: Double { smoothedConnection ?? 0 }

  mutating func noteAnswer(_ seconds: Double) {
    let seconds = max(0, seconds)
    smoothedAnswer = Self.smoothed(smoothedAnswer, seconds)
    shortestAnswer = min(shortestAnswer ?? seconds, seconds)
  }

  mutating func noteConnection(_ seconds: Double) {
    smoothedConnection = Self.smoothed(smoothedConnection, max(0, seconds))
  }

  private static func smoothed(_ before: Double?, _ measured: Double) -> Double {
    before.map { $0 + (measured - $0) * weight } ?? measured
  }
}
