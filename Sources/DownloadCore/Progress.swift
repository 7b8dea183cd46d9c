/// How far a download is.
package struct Progress: Hashable, Sendable {
  /// What the bytes counted in `done` are for.
  package enum Activity: Hashable, Sendable {
    case fetching
    /// Reading back what is on the disk, or hashing the rest.
    case verifying
  }
  /// What is being done.
  package var activity: Activity
  /// Bytes of the file that are here, or that were verified.
  package var done: Int64
  /// The whole file's length, whatever of it was here before.
  package var total: Int64?
  /// Bytes a second over the last seconds; nil where nothing is known yet.
  package var rate: Double?
  /// Connections that are at work now.
  package var connections: Int
  /// Where in the file bytes are here; nil where that is not known, as without a total.
  package var map: FileMap?

  /// Takes the values as they are.
  package init(
    activity: Activity = .fetching, done: Int64, total: Int64?, rate: Double?, connections: Int, map: FileMap? = nil
  ) {
    self.activity = activity
    self.done = done
    self.total = total
    self.rate = rate
    self.connections = connections
    self.map = map
  }

  /// Seconds left at the present rate.
  package var secondsLeft: Double? {
    guard let total, let rate, rate > 0 else { return nil }
    return Double(max(0, total - done)) / rate
  }
}
