internal import DownloadCore

/// What a download told and nobody has printed yet. Receiving costs next to nothing and never grows without bound.
struct Inbox: Sendable {
  enum Item: Hashable, Sendable {
    case line(String)
    /// A transfer begins with this much here.
    case began(Progress)
    /// A transfer ended like this: to be drawn whatever the clock says.
    case ended(Progress)
    /// What is drawn is to go.
    case wiped
  }

  private(set) var items: [Item] = []
  /// The newest state; nil outside a transfer.
  private(set) var progress: Progress?
  private let isQuiet: Bool
  private let isVerbose: Bool
  private var lastRetry: Double?
  /// Why the file was begun again last.
  private var lastRestart: String?
  /// What of the file was here at most since the transfer began.
  private var mostFetched: Int64 = 0

  /// Between two lines about retries without `-v`, in seconds.
  static let retryInterval = 10.0
  /// Where a terminal does not take them, so many lines wait at most; warnings and errors always do.
  static let mostChatter = 1000

  init(isQuiet: Bool, isVerbose: Bool) {
    self.isQuiet = isQuiet
    self.isVerbose = isVerbose
  }

  mutating func receive(_ event: DownloadEvent, at now: Double) {
    switch event {
    case .started(_, let path, let total, let resumed):
      lastRestart = nil
      sayResumed(path, resumed, total)
      begin(Progress(done: resumed, total: total, rate: nil, connections: 0))
    case .progress(let progress): advance(to: progress)
    case .restarted(let text):
      if let progress { begin(Progress(done: 0, total: progress.total, rate: nil, connections: 0)) }
      // A server that is cut again and again has this to say once.
      if text != lastRestart || isVerbose { say(Diagnostics.warning(text)) }
      lastRestart = text
    case .message(let text): say(Diagnostics.note(text))
    case .warning(let text): say(Diagnostics.warning(text))
    case .retry(let text): sayRetry(text, at: now)
    case .trace(let text): if isVerbose { chat(Diagnostics.trace(text)) }
    }
  }

  /// A line for people, which `-q` leaves out.
  mutating func say(_ line: String) {
    if !isQuiet { items.append(.line(line)) }
  }

  /// A line that `-q` does not leave out.
  mutating func complain(_ line: String) { items.append(.line(line)) }

  mutating func begin(_ progress: Progress) {
    self.progress = progress
    mostFetched = progress.done
    items.append(.began(progress))
  }

  /// The transfer ends as it last was, or with all `bytes` of the file here.
  mutating func end(complete bytes: Int64? = nil) {
    if var progress {
      progress.done = bytes ?? progress.done
      items.append(.ended(progress))
    }
    progress = nil
  }

  /// Nothing of the transfer is to stay on the screen.
  mutating func wipe() {
    items.append(.wiped)
    progress = nil
  }

  /// Hands over what is to be printed.
  mutating func take() -> (items: [Item], progress: Progress?) {
    defer { items = [] }
    return (items, progress)
  }

  /// What is here is never shown to become less, also where a damaged block is fetched again.
  private mutating func advance(to new: Progress) {
    guard let old = progress else { return begin(new) }
    progress = new
    switch new.activity {
    case .fetching:
      mostFetched = max(mostFetched, new.done)
      progress?.done = mostFetched
    case .verifying: if old.activity == .verifying { progress?.done = max(old.done, new.done) }
    }
  }

  private mutating func sayResumed(_ path: String, _ resumed: Int64, _ total: Int64?) {
    guard resumed > 0 else { return }
    let whole = total.map { " of \(ByteCount($0))" } ?? ""
    say(Diagnostics.note("resuming \(path) from \(ByteCount(resumed))\(whole)"))
  }

  private mutating func sayRetry(_ text: String, at now: Double) {
    if isVerbose { return chat(Diagnostics.note(text)) }
    if let lastRetry, now - lastRetry < Self.retryInterval { return }
    lastRetry = now
    say(Diagnostics.note(text))
  }

  private mutating func chat(_ line: String) {
    if items.count < Self.mostChatter { say(line) }
  }
}
