/// How long a download may go on without progress; refilled by progress that counts, so that neither a server which
/// drips a byte now and then nor one which sends the same beginning again and again can hold it for ever.
package struct ProgressBudget: Hashable, Sendable {
  /// In seconds.
  private let patience: Double
  /// Bytes that count as progress: 256 KiB, or 1 % of the file where that is less.
  private let worth: Int64
  private var since: Double
  /// What of the file was here when there was progress last, in bytes.
  private var mark: Int64
  /// How far a body of the whole file had come when there was progress last, in bytes.
  private var furthest: Int64 = 0

  /// `done` bytes of the file are here already.
  package init(patience: Double, length: Int64?, done: Int64 = 0, at now: Double) {
    self.patience = patience
    worth = max(1, min(256 << 10, (length ?? Int64.max) / 100))
    since = now
    mark = done
  }

  /// `done` bytes of the file are here: progress, if that is enough more than ever before.
  package mutating func reached(_ done: Int64, at now: Double) {
    guard done - mark >= worth else { return }
    mark = done
    since = now
  }

  /// A body of the whole file has come so far, be it over bytes that are here already: progress where none has come
  /// further before. Without ranges there is no other way to what is missing.
  package mutating func passed(_ position: Int64, at now: Double) {
    guard position - furthest >= worth else { return }
    furthest = position
    since = now
  }

  /// Bytes that were believed to be here were damaged, and `done` are left: fetching them again is progress.
  package mutating func lost(leaving done: Int64) { mark = min(mark, done) }

  /// For so many seconds nobody could have made more progress: they do not count.
  package mutating func standStill(for seconds: Double) { since += seconds }

  /// Whether there was no progress for all of the patience.
  package func isSpent(at now: Double) -> Bool { now - since >= patience }
}
