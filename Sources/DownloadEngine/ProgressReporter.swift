import DownloadCore

/// Says how far it is, at most ten times a second.
final class ProgressReporter {
  private let onEvent: (DownloadEvent) -> Void
  private var total: Int64?
  private var speed = SpeedMeter()
  private var fetched: Int64 = 0
  private var shown: Int64 = 0
  private var lastReport: Double
  /// What was here before this run.
  private var earlier: FileMap?

  private static let interval = 0.1

  /// `earlier`: where in the file bytes were here before this run.
  init(total: Int64?, earlier: FileMap? = nil, at now: Double, onEvent: @escaping (DownloadEvent) -> Void) {
    self.total = total
    self.earlier = earlier?.emptied
    self.onEvent = onEvent
    lastReport = now - Self.interval
    speed.add(total: 0, at: now)
  }

  func received(_ count: Int64) { fetched += count }

  func restart(total: Int64?) {
    self.total = total
    shown = 0
    earlier = nil
  }

  /// `done` never falls but by a restart, even where damage was found. `ranges` calls what it is given with each range
  /// that is here; it is asked only when a report is due.
  func report(
    done: Int64, connections: Int, at now: Double, ranges: ((ByteRange) -> Void) -> Void
  ) {
    guard now - lastReport >= Self.interval else { return }
    lastReport = now
    speed.add(total: fetched, at: now)
    shown = max(shown, done)
    var progress = Progress(done: shown, total: total, rate: speed.rate(at: now), connections: connections)
    progress.map = map(ranges)
    onEvent(.progress(progress))
  }

  private func map(_ ranges: ((ByteRange) -> Void) -> Void) -> FileMap? {
    guard var map = earlier ?? total.flatMap({ FileMap(length: $0) }) else { return nil }
    ranges { map.add($0) }
    return map
  }

  func verifying(_ done: Int64, of total: Int64, at now: Double) {
    guard now - lastReport >= Self.interval else { return }
    lastReport = now
    onEvent(.progress(Progress(activity: .verifying, done: done, total: total, rate: nil, connections: 0)))
  }
}
