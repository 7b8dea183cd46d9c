import DownloadCore

/// Says how far it is, at most ten times a second.
final class ProgressReporter {
  private let onEvent: (DownloadEvent) -> Void
  private var total: Int64?
  private var speed = SpeedMeter()
  private var fetched: Int64 = 0
  private var shown: Int64 = 0
  private var lastReport: Double

  private static let interval = 0.1

  init(total: Int64?, at now: Double, onEvent: @escaping (DownloadEvent) -> Void) {
    self.total = total
    self.onEvent = onEvent
    lastReport = now - Self.interval
    speed.add(total: 0, at: now)
  }

  func received(_ count: Int64) { fetched += count }

  func restart(total: Int64?) {
    self.total = total
    shown = 0
  }

  /// `done` never falls but by a restart, even where damage was found.
  func report(done: Int64, connections: Int, at now: Double) {
    guard now - lastReport >= Self.interval else { return }
    lastReport = now
    speed.add(total: fetched, at: now)
    shown = max(shown, done)
    onEvent(.progress(Progress(done: shown, total: total, rate: speed.rate(at: now), connections: connections)))
  }

  func verifying(_ done: Int64, of total: Int64, at now: Double) {
    guard now - lastReport >= Self.interval else { return }
    lastReport = now
    onEvent(.progress(Progress(activity: .verifying, done: done, total: total, rate: nil, connections: 0)))
  }
}
