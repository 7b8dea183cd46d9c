/// How long a download may go on without progress; refilled by progress that counts, so that a server which drips a
/// byte now and then cannot hold it for ever.
package struct ProgressBudget: Hashable, Sendable {
  /// In seconds.
  private let patience: Double
  /// Bytes that count as progress: 256 KiB, or 1 % of the file where that is less.
  private let worth: Int64
  private var since: Double
  private var credit: Int64 = 0

  package init(patience: Double, length: Int64?, at now: Double) {
    self.patience = patience
    worth = max(1, min(256 << 10, (length ?? Int64.max) / 100))
    since = now
  }

  package mutating func received(_ count: Int64, at now: Double) {
    credit += count
    guard credit >= worth else { return }
    credit = 0
    since = now
  }

  package func isSpent(at now: Double) -> Bool { now - since >= patience }
}
