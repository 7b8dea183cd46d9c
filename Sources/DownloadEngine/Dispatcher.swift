package import DownloadCore
import Glibc
import Synchronization

/// Fetches the files of a queue, some at a time, on one budget of connections. One that may be small is asked for by a
/// single request, on connections that all of these share; what takes more than that is a `Download` on a thread of its
/// own. Whatever goes wrong with one, the others go on.
package final class Dispatcher {
  /// What holds for all files together.
  package struct Terms: Sendable {
    /// Files at a time.
    package var jobs: Int
    /// To one host.
    package var connections: ConnectionLimit
    /// What limits the rate, if anything does.
    package var limiter: RateLimiter?
    /// Tell what is asked and answered.
    package var isVerbose: Bool

    /// Takes all as it is.
    package init(jobs: Int, connections: ConnectionLimit, limiter: RateLimiter?, isVerbose: Bool) {
      self.jobs = jobs
      self.connections = connections
      self.limiter = limiter
      self.isVerbose = isVerbose
    }
  }

  /// Who is told.
  package struct Audience {
    /// Of any file, on any thread.
    package var onEvent: @Sendable (DownloadEvent, _ file: Int) -> Void
    /// A file has ended, so many seconds after it was begun. False: nothing more is wanted.
    package var onEnd: (QueuedDownload, Result<DownloadReport, DownloadError>, Double) -> Bool
    /// Whether more may begin: what was told may be more than can be shown.
    package var mayBegin: () -> Bool

    /// Takes all as it is.
    package init(
      onEvent: @escaping @Sendable (DownloadEvent, _ file: Int) -> Void,
      onEnd: @escaping (QueuedDownload, Result<DownloadReport, DownloadError>, Double) -> Bool,
      mayBegin: @escaping () -> Bool
    ) {
      self.onEvent = onEvent
      self.onEnd = onEnd
      self.mayBegin = mayBegin
    }
  }

  /// A file that is worked on.
  final class Entry {
    let job: QueuedDownload
    let request: DownloadRequest
    let claim: NameClaim
    let host: String
    let began: Double

    init(_ job: QueuedDownload, _ request: DownloadRequest, _ claim: NameClaim, host: String, at now: Double) {
      self.job = job
      self.request = request
      self.claim = claim
      self.host = host
      began = now
    }
  }

  /// What other threads tell.
  private enum Message: Sendable {
    case ended(Int, Result<DownloadReport, DownloadError>)
    case written([(SmallFile, SmallFileWriter.Outcome)])
  }

  let queue: DownloadQueue
  let signals: SignalSource
  let terms: Terms
  let audience: Audience
  let files: any FileSystem
  let budget: ConnectionBudget
  let writer: SmallFileWriter
  let wakeup: Wakeup
  private let names = TakenNames()
  private let messages: Inbox
  private let limits: DescriptorLimit.Company
  /// Everything that is worked on, by number.
  private(set) var entries: [Int: Entry] = [:]
  /// Those that wait for connections of their own, in their order.
  private var waiting: [Int] = []
  /// Those on threads of their own.
  private var running = 0
  let small: SmallFiles
  private var folders = FolderCache()
  /// Since when the first of the small files that have come waits for its name, in seconds.
  private var batchBegan: Double?
  /// Those that have come and are not with the writer yet: it is not woken for every one.
  private var come: [SmallFile] = []
  private var bytesCome = 0
  private var clock = MonotonicClock()

  /// Seconds that a small file waits for others before it gets its name.
  private static let batchTime = 1.0
  /// So many of them, or so many bytes, are handed to the writer at once.
  private static let mostCome = (files: 32, bytes: 256 << 10)

  /// Shared with the threads that write into it.
  private final class Inbox: Sendable {
    private let messages = Mutex<[Message]>([])
    private let wakeup: Wakeup
    init(_ wakeup: Wakeup) { self.wakeup = wakeup }

    func add(_ message: Message) {
      messages.withLock { $0.append(message) }
      wakeup.signal()
    }

    func take() -> [Message] {
      messages.withLock { messages in
        defer { messages = [] }
        return messages
      }
    }
  }

  /// Begins nothing before `run`.
  package convenience init(_ queue: DownloadQueue, signals: SignalSource, _ terms: Terms, _ audience: Audience) {
    self.init(queue, signals: signals, terms, audience, files: LinuxFileSystem())
  }

  init(
    _ queue: DownloadQueue, signals: SignalSource, _ terms: Terms, _ audience: Audience, files: any FileSystem
  ) {
    self.queue = queue
    self.signals = signals
    self.terms = terms
    self.audience = audience
    self.files = files
    limits = DescriptorLimit.fitting(jobs: terms.jobs, connections: terms.connections.most)
    let wakeup = Wakeup()
    let inbox = Inbox(wakeup)
    self.wakeup = wakeup
    messages = inbox
    budget = ConnectionBudget(perHost: limits.connections, jobs: limits.jobs, wakeup: wakeup) {
      queue.waiting(ofHost: $0)
    }
    let onEvent = audience.onEvent
    writer = SmallFileWriter(mostOpen: limits.openFiles) { file, text in
      onEvent(.warning(text), file.number)
    } onOutcomes: {
      inbox.add(.written($0))
    }
    small = SmallFiles(budget: budget, limiter: terms.limiter, isVerbose: terms.isVerbose, onEvent: onEvent)
  }

  /// Runs until nothing is left to do, or a signal ends it, whose number is given; what was begun is saved then.
  package func run() throws(DownloadError) -> Int32? {
    let thread = try writer.start()
    let signal = dispatch()
    writer.end()
    if signal == nil { thread.join() } else { thread.detach() }
    folders.removeUnused()
    return signal
  }

  private func dispatch() -> Int32? {
    while true {
      if let signal = signals.pending() {
        stop(for: signal)
        return signal
      }
      takeMessages()
      small.takeEvents(at: now) { conclude($0) }
      startWaiting()
      fill()
      // What is kept open for small files is of more use to large ones.
      if running > 0, small.count == 0 { small.makeRoom() }
      guard !isOver else { return nil }
      finishBatchWhereDue()
      small.wait([signals.descriptor, wakeup.descriptor, queue.wakeup.descriptor])
      wakeup.clear()
      queue.wakeup.clear()
    }
  }

  var now: Double { clock.now() }

  private var isOver: Bool { entries.isEmpty && queue.isExhausted }

  /// Files that take a place: those that only wait for their names do not.
  private var occupied: Int { small.count + waiting.count + running }
}

extension Dispatcher {
  private func fill() {
    while occupied < limits.jobs, !small.isHeldUp, !writer.isFull, audience.mayBegin(), let job = queue.take() {
      do throws(DownloadError) {
        try begin(job)
      } catch {
        if entries[job.number] != nil {
          end(job.number, .failure(error))
        } else {
          tell(job, .failure(error), seconds: 0)
        }
      }
    }
  }

  private func begin(_ job: QueuedDownload) throws(DownloadError) {
    for note in job.notes { audience.onEvent(note, job.number) }
    let request = try job.request.get()
    let claim = NameClaim(in: names)
    // What goes into a file that is here does not give it its name.
    let name = request.likelyName
    if request.outputOffset == nil { try request.check(claim.take(name, in: request.target), of: name) }
    let (host, now) = (request.url.host.lowercased(), now)
    entries[job.number] = Entry(job, request, claim, host: host, at: now)
    budget.enter(host)
    guard !request.isDryRun else { return handOver(job.number) }
    // It is made once: a file that fails must not remove it under the others.
    let folder = try folders.folder(request.target.folder, in: files)
    let small = SmallJob(
      number: job.number, request: request, likelyName: name, folder: folder, claim: claim, began: now, host: host)
    guard let method = try SmallFiles.method(for: small) else { return handOver(job.number) }
    self.small.begin(small, method, at: now)
  }

  /// A file wants more than one request.
  private func handOver(_ number: Int) {
    waiting.append(number)
    if let host = entries[number]?.host { budget.wait(host) }
  }

  private func startWaiting() {
    guard !waiting.isEmpty else { return }
    waiting.removeAll { number in
      guard let entry = entries[number] else { return true }
      guard let lease = budget.lease(entry.host) else {
        small.makeRoom()
        return false
      }
      budget.waitNoMore(entry.host)
      start(entry, lease)
      return true
    }
  }

  private func start(_ entry: Entry, _ lease: ConnectionLease) {
    let (number, request, signals, limiter) = (entry.job.number, entry.request, signals, terms.limiter)
    let (files, messages, onEvent) = (files, messages, audience.onEvent)
    let company = Download.Company(claim: entry.claim, lease: lease)
    do throws(Errno) {
      let thread = try Worker {
        let download = Download(request, signals: signals, limiter: limiter, files: files, company: company) {
          onEvent($0, number)
        }
        let result = Result { () throws(DownloadError) in try download.run() }
        lease.end()
        messages.add(.ended(number, result))
      }
      thread.detach()
      running += 1
    } catch {
      lease.end()
      end(number, .failure(.local("start a thread for", request.url.redacted, error)))
    }
  }

  private func takeMessages() {
    for message in messages.take() {
      switch message {
      case .ended(let number, let result):
        running -= 1
        end(number, result)
      case .written(let files): for (file, outcome) in files { take(file, outcome) }
      }
    }
  }

  private func take(_ file: SmallFile, _ outcome: SmallFileWriter.Outcome) {
    switch outcome {
    case .saved: end(file.number, .success(file.report))
    case .failed(let error): end(file.number, .failure(error))
    case .handOver: handOver(file.number)
    }
  }

  /// What came of a small file's requests.
  private func conclude(_ conclusion: SmallFiles.Conclusion) {
    switch conclusion {
    case .ended(let number, let result): end(number, result)
    case .handOver(let number): handOver(number)
    case .complete(let file):
      come.append(file)
      bytesCome += file.length
      if come.count >= Self.mostCome.files || bytesCome >= Self.mostCome.bytes { handToWriter() }
      batchBegan = batchBegan ?? now
    }
  }

  private func handToWriter() {
    writer.add(come)
    come.removeAll(keepingCapacity: true)
    bytesCome = 0
  }

  private func end(_ number: Int, _ result: Result<DownloadReport, DownloadError>) {
    guard let entry = entries.removeValue(forKey: number) else { return }
    budget.leave(entry.host)
    tell(entry.job, result, seconds: now - entry.began)
  }

  private func tell(_ job: QueuedDownload, _ result: Result<DownloadReport, DownloadError>, seconds: Double) {
    guard !audience.onEnd(job, result, seconds) else { return }
    // The reader of the results went away.
    signals.end(as: SIGPIPE)
  }

  /// A batch is finished after a second, or where nothing more is to be added soon.
  private func finishBatchWhereDue() {
    guard let began = batchBegan else { return }
    let hasMore = small.count > 0 || queue.waiting(ofHost: "").all > 0
    guard now - began >= Self.batchTime || !hasMore || writer.isFull else { return }
    batchBegan = nil
    handToWriter()
    writer.finishBatch()
  }

  /// All that was begun is saved: the large ones by themselves, as soon as they see the signal, and of the small ones those
  /// that have come, where the disk is quick enough.
  /// Each of the rest is told to have been interrupted: who counts the files that were begun misses none.
  private func stop(for signal: Int32) {
    small.stop()
    handToWriter()
    writer.end()
    let deadline = MonotonicClock.seconds() + Self.timeToSave
    while running > 0 || (!writer.isIdle && MonotonicClock.seconds() < deadline) {
      small.wait([wakeup.descriptor])
      wakeup.clear()
      takeMessages()
    }
    takeMessages()
    for number in entries.keys.sorted() { end(number, .failure(.interrupted(signal))) }
  }

  /// In seconds.
  private static let timeToSave = 0.7
}

extension DownloadRequest {
  /// Throws where a name cannot be had.
  fileprivate func check(_ answer: TakenNames.Answer, of name: String) throws(DownloadError) {
    let path = Folder.shown(name, in: target.folder)
    switch answer {
    case .free: return
    case .anotherFile: throw .sameTarget(path)
    case .folder: throw .folderOfAnother(target.isFolderTypedAsName ? target.folder : path)
    case .fileInTheWay: throw .belowAnother(path)
    }
  }
}

extension ConnectionLimit {
  /// The most that it comes to.
  fileprivate var most: Int {
    switch self {
    case .automatic: Self.automaticMost
    case .fixed(let count): count
    }
  }
}
