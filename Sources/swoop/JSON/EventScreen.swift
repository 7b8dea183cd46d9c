internal import DownloadCore

/// Turns what downloads told into the events that programs get on standard error.
struct EventScreen: Sendable {
  private let log: EventLog
  private let isQuiet: Bool
  /// Whether what is told is about all files together.
  private let isOfAll: Bool
  /// The state of each file that was told last.
  private var told: [Int: Progress] = [:]

  init(log: EventLog, isQuiet: Bool, isOfAll: Bool = false) {
    self.log = log
    self.isQuiet = isQuiet
    self.isOfAll = isOfAll
  }

  /// The lines for new items and the present state; `now` in seconds, on the clock of the log.
  mutating func update(_ items: [Inbox.Item], _ batch: Batch, at now: Double) -> [String] {
    var lines: [String] = []
    for item in items { lines += self.lines(item) }
    for active in batch.active { lines += progress(active.progress, of: active.file, at: now) }
    return lines
  }

  private mutating func lines(_ item: Inbox.Item) -> [String] {
    switch item.kind {
    case .message(let text): return [line("message", item, text)]
    case .warning(let text): return [line("warning", item, text)]
    case .retry(let text): return [line("retry", item, text)]
    case .trace(let text): return [line("trace", item, text)]
    case .restart(let text):
      if let file = item.file { told[file] = nil }
      return [line("restart", item, text)]
    case .began(let url, let path, let here): return began(item, url, path, here)
    case .ended(let progress, let ending): return ended(item, progress, ending)
    case .wiped: return []
    }
  }

  private func line(_ event: String, _ item: Inbox.Item, _ text: String) -> String {
    log.line(event, of: item.file, at: item.time, [JSONMember("message", .string(text))])
  }

  private mutating func began(_ item: Inbox.Item, _ url: String, _ path: String, _ here: Progress) -> [String] {
    if let file = item.file { told[file] = nil }
    guard !isQuiet else { return [] }
    let members = [
      JSONMember("url", .string(url)), JSONMember("path", .string(path)), JSONMember("total", .count(here.total)),
      JSONMember("resumed", .integer(here.done)),
    ]
    return [log.line("start", of: item.file, at: item.time, members)]
  }

  private mutating func ended(_ item: Inbox.Item, _ progress: Progress?, _ ending: Ending?) -> [String] {
    var lines: [String] = []
    if let progress, let file = item.file {
      lines = self.progress(progress, of: file, at: item.time)
      told[file] = nil
    }
    if let ending { lines += end(item, ending) }
    return lines
  }

  /// What has no members is no end of a file, or of all there was: words at most.
  private func end(_ item: Inbox.Item, _ ending: Ending) -> [String] {
    guard ending.result.isEmpty else { return [log.line("end", of: item.file, at: item.time, ending.result)] }
    switch ending.words {
    case .news(let text), .note(let text), .error(let text): return [line("message", item, text)]
    case .nothing: return []
    }
  }

  private mutating func progress(_ progress: Progress, of file: Int, at now: Double) -> [String] {
    // Where the bytes are is for drawing.
    var news = progress
    news.map = nil
    guard !isQuiet, news != told[file] else { return [] }
    told[file] = news
    var members = [JSONMember("done", .integer(news.done)), JSONMember("total", .count(news.total))]
    guard news.activity == .fetching else { return [log.line("verify", of: isOfAll ? nil : file, at: now, members)] }
    members += [
      JSONMember("rate", .count(news.rate.map { ByteCount(bytesPerSecond: $0).bytes })),
      JSONMember("connections", .integer(Int64(news.connections))),
    ]
    return [log.line("progress", of: file, at: now, members)]
  }
}
