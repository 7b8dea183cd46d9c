internal import DownloadCore

/// What a terminal shows of a download: how far, how fast, how long still, and where in the file. It drops what is
/// least worth knowing until it fits.
struct ProgressLine {
  var progress: Progress
  /// To be shown.
  var secondsLeft: Double?
  /// Of the file, where there are several.
  var name: String?
  var palette: Palette

  private static let widestBar = 40
  private static let narrowestBar = 10
  /// What the fields take where all are there and the brackets too: the bar does not jump as they come and go.
  private static let usualFields = 67
  /// In a line that is narrower than this a name takes what the percents and the rate leave, and in one that has no room
  /// for both, the rate's: without their names lines cannot be told apart.
  private static let wideLine = 40
  private static let widestName = 32
  private static let narrowestName = 8
  private static let percentsAndRate = 16
  private static let percents = 4

  /// All in one line of at most `width` columns.
  func text(width: Int) -> DrawnLine {
    guard let name, let columns = Self.nameColumns(width) else { return numbers(width: width, hasBar: true) }
    let shown = ColumnWidth.fit(name.printable, to: columns, isUnicode: palette.isUnicode) + "  "
    let rest = numbers(width: width - columns - 2, hasBar: true)
    return DrawnLine(text: shown + rest.text, columns: columns + 2 + rest.columns)
  }

  /// The columns for a name; nil where there is no room for one.
  private static func nameColumns(_ width: Int) -> Int? {
    guard width < wideLine else { return min(widestName, width / 4) }
    let columns = max(min(narrowestName, width - 2 - percents), width - 2 - percentsAndRate)
    return columns > 1 ? columns : nil
  }

  /// The numbers, with a bar among them where it is wanted and there is room.
  func numbers(width: Int, hasBar: Bool) -> DrawnLine {
    guard let fitting = candidates.first(where: { Self.join($0).utf8.count <= width }) else {
      return DrawnLine(ascii: String(lead.prefix(max(0, width))))
    }
    let line = Self.join(fitting)
    let room = min(Self.widestBar, width - Self.usualFields, width - line.utf8.count - 3)
    guard hasBar, room >= Self.narrowestBar, let bar = bar(room) else { return DrawnLine(ascii: line) }
    return DrawnLine(text: lead + " " + bar + line.dropFirst(lead.count), columns: line.utf8.count + room + 3)
  }

  /// The map alone, over the whole width; nil where there is none.
  func map(width: Int) -> DrawnLine? { bar(width - 2).map { DrawnLine(text: $0, columns: width) } }

  private func bar(_ columns: Int) -> String? {
    progress.cells(columns).map { "[" + MapText(palette: palette).text($0) + "]" }
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
    guard let seconds = secondsLeft, progress.done < progress.total ?? 0 else { return nil }
    return "\(DurationText.short(max(1, seconds))) left"
  }

  private var connections: String? {
    guard progress.activity == .fetching, progress.connections > 0 else { return nil }
    return progress.connections == 1 ? "1 connection" : "\(progress.connections) connections"
  }

  static func padded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }
}

/// A line as it is drawn, and the columns that it takes, shades left out.
struct DrawnLine: Hashable, Sendable {
  var text: String
  var columns: Int
}

extension DrawnLine {
  /// Of text without shades, a column each.
  init(ascii text: String) { self.init(text: text, columns: text.utf8.count) }
}

/// The line below several files: all of them together.
struct TotalLine {
  var batch: Batch
  var secondsLeft: Double?

  /// At most `width` columns.
  func text(width: Int) -> DrawnLine {
    let fields = [files, amount, speed, left].compactMap { $0 }
    for count in stride(from: fields.count, to: 0, by: -1) {
      let line = fields.prefix(count).joined(separator: "  ")
      if line.utf8.count <= width { return DrawnLine(ascii: line) }
    }
    return DrawnLine(ascii: String(files.prefix(max(0, width))))
  }

  private var files: String {
    let (ended, count) = (CountText.grouped(batch.ended), CountText.grouped(batch.count))
    return "\(ended) of \(count)\(batch.isOpen ? " or more" : "") files"
  }

  /// Where a file has not told its length yet, nothing is said of the whole but that it is not less than this.
  private var amount: String {
    let (done, total) = (ByteCount(batch.sum.done), ByteCount(batch.sum.total ?? 0))
    return batch.lengthIsKnown ? "\(done) / \(total)" : "\(done) / \(total) or more"
  }

  private var speed: String? { batch.sum.rate.map { "\(ByteCount(bytesPerSecond: $0))/s" } }

  private var left: String? {
    guard batch.lengthIsKnown, let secondsLeft, batch.sum.done < batch.sum.total ?? 0 else { return nil }
    return "\(DurationText.short(max(1, secondsLeft))) left"
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
