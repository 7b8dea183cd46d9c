internal import DownloadCore

/// The one line that a terminal shows: how far, how fast, how long still. It drops what is least worth knowing until
/// it fits.
struct ProgressLine {
  private let progress: Progress

  init(_ progress: Progress) { self.progress = progress }

  private static let widestBar = 40
  private static let narrowestBar = 10
  /// What the fields take where all are there and the brackets too: the bar does not jump as they come and go.
  private static let usualFields = 67

  /// The line, at most `width` columns of ASCII.
  func text(width: Int) -> String {
    let fitting = candidates.first { Self.join($0).utf8.count <= width } ?? []
    guard !fitting.isEmpty else { return String(lead.prefix(max(0, width))) }
    let line = Self.join(fitting)
    return withBar(line, width: width)
  }

  /// All that there is to say, then less and less.
  private var candidates: [[String]] {
    [
      [lead, amount, speed, left, connections],
      [lead, amount, speed, left],
      [lead, speed, left],
      [lead, speed],
      [lead],
    ]
    .map { $0.compactMap { $0 } }
  }

  private static func join(_ fields: [String]) -> String { fields.joined(separator: "  ") }

  /// ` 42%`, or the bytes where no total is known.
  private var lead: String {
    guard let percent = progress.percent else { return activity + ByteCount(progress.done).description }
    return progress.activity == .verifying ? activity + "\(percent)%" : Self.padded("\(percent)%", to: 4)
  }

  private var activity: String { progress.activity == .verifying ? "verifying " : "" }

  private var amount: String? {
    progress.total.map { Self.padded("\(ByteCount(progress.done)) / \(ByteCount($0))", to: 17) }
  }

  private var speed: String? {
    progress.rate.map { Self.padded("\(ByteCount(bytesPerSecond: $0))/s", to: 10) }
  }

  private var left: String? {
    guard let seconds = progress.secondsLeft, progress.done < progress.total ?? 0 else { return nil }
    return "\(DurationText.short(seconds)) left"
  }

  private var connections: String? {
    guard progress.activity == .fetching, progress.connections > 0 else { return nil }
    return progress.connections == 1 ? "1 connection" : "\(progress.connections) connections"
  }

  /// Puts a bar behind the percentage where there is room for one.
  private func withBar(_ line: String, width: Int) -> String {
    let length = min(Self.widestBar, width - Self.usualFields, width - line.utf8.count - 3)
    guard length >= Self.narrowestBar, let total = progress.total, total > 0 else { return line }
    let share = min(1, max(0, Double(progress.done) / Double(total)))
    let full = Int(share * Double(length))
    let bar = String(repeating: "#", count: full) + String(repeating: "-", count: length - full)
    return "\(lead) [\(bar)]" + line.dropFirst(lead.count)
  }

  private static func padded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }
}

extension Progress {
  /// Whole percents, rounded down: 100 means complete. Nil where the total is not known.
  var percent: Int? {
    guard let total else { return nil }
    guard total > 0 else { return 100 }
    return Int(Double(min(max(0, done), total)) / Double(total) * 100).clamped(below: done >= total ? 100 : 99)
  }
}

extension Int {
  fileprivate func clamped(below limit: Int) -> Int { Swift.min(self, limit) }
}

extension ByteCount {
  /// A rate, without ever overflowing.
  init(bytesPerSecond rate: Double) { self.init(Int64(Swift.min(Swift.max(0, rate.isNaN ? 0 : rate), 9e18))) }
}
