/// What a download tells while it runs; one way, up.
package enum DownloadEvent: Sendable {
  /// The transfers begin. `total` is nil where the length is not known; `resumed` is what was here already.
  case started(url: String, path: String, total: Int64?, resumed: Int64)
  case progress(Progress)
  /// A range failed and will be asked for again; text for people.
  case retry(String)
  /// All that was here was thrown away: progress begins again from 0.
  case restarted(String)
  case message(String)
  case warning(String)
  /// What was asked, answered or decided (`--verbose`): redacted and sanitised.
  case trace(String)
}

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

  /// Takes the values as they are.
  package init(activity: Activity = .fetching, done: Int64, total: Int64?, rate: Double?, connections: Int) {
    self.activity = activity
    self.done = done
    self.total = total
    self.rate = rate
    self.connections = connections
  }

  /// Seconds left at the present rate.
  package var secondsLeft: Double? {
    guard let total, let rate, rate > 0 else { return nil }
    return Double(max(0, total - done)) / rate
  }
}
