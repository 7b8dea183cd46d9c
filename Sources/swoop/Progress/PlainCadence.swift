internal import DownloadCore

/// When a plain line is due: at every tenth of the file, and every 30 seconds.
struct PlainCadence {
  private var lastTenth: Int
  private var lastTime: Double
  private var activity: Progress.Activity

  static let interval = 30.0

  /// Counts from what is here already, so that a resumed download does not begin with a line.
  init(from progress: Progress, at now: Double) {
    lastTenth = (progress.percent ?? 0) / 10
    lastTime = now
    activity = progress.activity
  }

  /// Whether a line is due, which then counts as printed. Times are in seconds.
  mutating func isDue(_ progress: Progress, at now: Double) -> Bool {
    let tenth = (progress.percent ?? 0) / 10
    if progress.activity != activity {
      activity = progress.activity
      lastTenth = min(tenth, 9)
    }
    guard tenth > lastTenth || now - lastTime >= Self.interval else { return false }
    lastTenth = max(lastTenth, tenth)
    lastTime = now
    return true
  }
}

/// `40 % of 5.4 GiB, 77 MiB/s, 42s left`: a line of its own, for logs.
enum PlainLine {
  static func text(_ progress: Progress) -> String {
    var fields = [amount(progress)]
    if let rate = progress.rate { fields.append("\(ByteCount(bytesPerSecond: rate))/s") }
    if let left = progress.secondsLeft, left > 0 { fields.append("\(DurationText.short(left)) left") }
    return fields.joined(separator: ", ")
  }

  private static func amount(_ progress: Progress) -> String {
    let activity = progress.activity == .verifying ? "verifying, " : ""
    guard let total = progress.total, let percent = progress.percent else {
      return activity + ByteCount(progress.done).description
    }
    return "\(activity)\(percent) % of \(ByteCount(total))"
  }
}
