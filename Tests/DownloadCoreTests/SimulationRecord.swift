import DownloadCore

/// What happened in a simulated network.
struct SimulationRecord {
  /// When the last byte came; nil where it never did.
  var end: Double?
  var starts: [(time: Double, slot: Int, range: ByteRange)] = []
  var stops: [(time: Double, slot: Int, reason: RangeScheduler.StopReason)] = []
  var shortened = 0
  var refusals = 0
  var connections = 0
  /// Connections that died: in silence, or broken.
  var deaths = 0
  var mostActive = 0
  /// Steps of the simulation in which the scheduler was asked what is to be done.
  var looks = 0
  /// The longest time, in seconds, for which a place was free although more was missing than one latency is worth.
  var longestIdle = 0.0
  var received = ByteRangeSet()
  /// Of all answers that count together.
  var bytes: Int64 = 0
  /// What should not have happened.
  var problems: Set<String> = []

  mutating func expect(_ isRight: Bool, _ problem: @autoclosure () -> String) {
    if !isRight { problems.insert(problem()) }
  }

  /// Each byte came, and none twice.
  func isWhole(_ length: Int64) -> Bool { bytes == length && received.count == length }
}
