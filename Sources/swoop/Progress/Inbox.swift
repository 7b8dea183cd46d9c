internal import DownloadCore

/// What downloads told and nobody has printed yet. Receiving costs next to nothing and never grows without bound.
struct Inbox: Sendable {
  /// Something to tell.
  struct Item: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case message(String)
      case warning(String)
      case retry(String)
      /// All that was here of the file was thrown away.
      case restart(String)
      case trace(String)
      /// A transfer begins with this much here.
      case began(url: String, path: String, Progress)
      /// Work on a file ended like this. The progress is to be shown whatever the clock says; nil where nothing was
      /// fetched or read.
      case ended(Progress?, Ending?)
      /// What is drawn is to go.
      case wiped
    }
    var kind: Kind
    /// Its place among the files, from 0; nil for what is of none.
    var file: Int?
    /// On the caller's clock, in seconds.
    var time: Double
  }

  /// Who is told, and how much.
  struct Audience: Hashable, Sendable {
    var isQuiet = false
    var isVerbose = false
    /// Of several files nothing but what fails, and the sum.
    var isTerse = false
    /// A program counts the retries; a person wants to hear of them now and then.
    var isProgram = false
  }

  private(set) var items: [Item] = []
  private(set) var batch: Batch
  private let audience: Audience
  private var lastRetry: Double?
  /// Why each file was begun again last.
  private var lastRestart: [Int: String] = [:]
  /// What of each file was here at most since its transfer began.
  private var mostFetched: [Int: Int64] = [:]

  /// Of more files than this, those that end well have no line of their own without `-v`.
  static let mostTold = 20
  /// Between two lines about retries without `-v`, in seconds.
  static let retryInterval = 10.0
  /// Where a terminal does not take them, so many lines wait at most; warnings and errors always do.
  static let mostChatter = 1000
  /// From so many on, no more is to be begun: of many files, the ends alone could take all memory.
  static let mostItems = 5000

  /// `files`: how many there are in all.
  /// `isOpen`: there may be more.
  init(_ audience: Audience, files: Int = 1, isOpen: Bool = false) {
    self.audience = audience
    batch = Batch(count: files, isOpen: isOpen)
  }

  /// More is waiting to be printed than there should be.
  var isFull: Bool { items.count >= Self.mostItems }

  /// So many files are known now; `isOpen`: there may be more.
  mutating func expect(_ files: Int, isOpen: Bool) { batch.expect(files, isOpen: isOpen) }

  /// `now`, in seconds, must not run backwards.
  mutating func receive(_ event: DownloadEvent, of file: Int? = 0, at now: Double) {
    switch event {
    case .started(let url, let path, let here): start(file ?? 0, url, path, here, at: now)
    case .progress(let progress): advance(file ?? 0, to: progress)
    case .restarted(let text):
      if let progress = batch.progress(of: file ?? 0) { restart(file ?? 0, progress) }
      // A server that is cut again and again has this to tell people once.
      let isNew = lastRestart.updateValue(text, forKey: file ?? 0) != text
      if isNew || audience.isVerbose || audience.isProgram { say(.restart(text), of: file, at: now) }
    case .message(let text): say(.message(text), of: file, at: now)
    case .warning(let text): say(.warning(text), of: file, at: now)
    case .retry(let text): sayRetry(text, of: file, at: now)
    // The failure's object has them.
    case .sources: break
    case .trace(let text): if audience.isVerbose { chat(.trace(text), of: file, at: now) }
    }
  }

  /// Work on a file ends, as it last was or with all `bytes` of it here; nil: what ended was no work on a file. `-q`
  /// leaves good news out.
  mutating func end(_ file: Int?, complete bytes: Int64? = nil, _ ending: Ending?, at now: Double) {
    var progress = file.flatMap { batch.progress(of: $0) }
    if let bytes { progress?.complete(bytes) }
    if let file {
      batch.end(file, bytes: bytes ?? fetched(progress, file))
      lastRestart[file] = nil
      mostFetched[file] = nil
    }
    guard progress != nil || ending != nil, !isDispensable(progress, ending) else { return }
    var ending = ending
    if case .news = ending?.words, !tellsGoodNews { ending?.words = .nothing }
    items.append(Item(kind: .ended(progress, ending), file: file, time: now))
  }

  /// Whether each file that ends well has its line.
  private var tellsGoodNews: Bool {
    guard batch.hasSeveral, !audience.isVerbose, !audience.isProgram else { return true }
    return !audience.isTerse && batch.count <= Self.mostTold
  }

  /// Good news of a small file that nobody reads, or can read now.
  private func isDispensable(_ progress: Progress?, _ ending: Ending?) -> Bool {
    guard progress == nil, !audience.isProgram, case .news = ending?.words else { return false }
    return audience.isQuiet || !tellsGoodNews || items.count >= Self.mostChatter
  }

  /// Work on all files ends as they last were.
  mutating func endAll(at now: Double) {
    for active in batch.active { end(active.file, nil, at: now) }
  }

  /// Nothing of the transfer is to stay on the screen.
  mutating func wipe(at now: Double) {
    items.append(Item(kind: .wiped, file: nil, time: now))
    batch.forget()
  }

  /// Hands over what is to be printed.
  mutating func take() -> (items: [Item], batch: Batch) {
    defer { items = [] }
    return (items, batch)
  }

  private func fetched(_ progress: Progress?, _ file: Int) -> Int64 {
    progress.map { $0.activity == .fetching ? $0.done : mostFetched[file] ?? $0.total ?? 0 } ?? 0
  }

  private mutating func start(_ file: Int, _ url: String, _ path: String, _ here: Progress, at now: Double) {
    batch.begin(file, name: Batch.name(ofPath: path), here)
    lastRestart[file] = nil
    mostFetched[file] = here.done
    // Items of a transfer are few, and a screen must see them all.
    items.append(Item(kind: .began(url: url, path: path, here), file: file, time: now))
  }

  private mutating func restart(_ file: Int, _ progress: Progress) {
    var empty = progress
    empty.activity = .fetching
    empty.done = 0
    empty.map = nil
    empty.rate = nil
    batch.change(file, to: empty)
    mostFetched[file] = 0
  }

  /// What is here is never shown to become less, also where a damaged block is fetched again.
  private mutating func advance(_ file: Int, to new: Progress) {
    guard let old = batch.progress(of: file) else { return batch.begin(file, name: "", new) }
    var shown = new
    switch new.activity {
    case .fetching:
      shown.done = max(mostFetched[file] ?? 0, new.done)
      mostFetched[file] = shown.done
    case .verifying:
      if old.activity == .verifying { shown.done = max(old.done, new.done) }
      shown.map = old.map
    }
    batch.change(file, to: shown)
  }

  private mutating func say(_ kind: Item.Kind, of file: Int?, at now: Double) {
    if !audience.isQuiet { items.append(Item(kind: kind, file: file, time: now)) }
  }

  private mutating func sayRetry(_ text: String, of file: Int?, at now: Double) {
    if audience.isVerbose || audience.isProgram { return chat(.retry(text), of: file, at: now) }
    if let lastRetry, now - lastRetry < Self.retryInterval { return }
    lastRetry = now
    say(.retry(text), of: file, at: now)
  }

  private mutating func chat(_ kind: Item.Kind, of file: Int?, at now: Double) {
    if items.count < Self.mostChatter { say(kind, of: file, at: now) }
  }
}

extension Progress {
  /// All the bytes of the file are here, and there is nothing more to do.
  fileprivate mutating func complete(_ bytes: Int64) {
    activity = .fetching
    done = bytes
    total = bytes
    map = map?.completed
  }
}

/// How work on a file ended: in words for people, and as members of a JSON object.
struct Ending: Hashable, Sendable {
  enum Words: Hashable, Sendable {
    /// Good news, which `-q` leaves out.
    case news(String)
    case note(String)
    case error(String)
    case nothing
  }
  var words: Words
  var result: [JSONMember]
  /// A result that goes where the words go, because standard output is not for it: a line as it is, which `-q` keeps.
  var appendix: String?
}
