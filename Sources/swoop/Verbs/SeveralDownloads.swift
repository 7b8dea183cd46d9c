internal import DownloadCore
internal import DownloadEngine
internal import Glibc
internal import Synchronization

/// Several files, some at a time: tells how each ended, and at the end how all did.
final class SeveralDownloads {
  private let queue: DownloadQueue
  private let signals: SignalSource
  private let limiter: RateLimiter?
  private let endings: DownloadEndings
  private let arguments: Arguments
  private let records = JobRecords()
  private var tally = DownloadTally()
  private let began = MonotonicClock.seconds()

  init(
    _ queue: DownloadQueue, signals: SignalSource, limiter: RateLimiter?, _ endings: DownloadEndings,
    _ arguments: Arguments
  ) {
    self.queue = queue
    self.signals = signals
    self.limiter = limiter
    self.endings = endings
    self.arguments = arguments
  }

  /// The first failure in the order of the files, or the signal that ended them all. Throws where nothing could begin.
  func run() throws(DownloadError) -> Failure? {
    let (printer, records) = (endings.printer, records)
    let audience = Dispatcher.Audience(
      onEvent: { event, file in
        records.note(event, of: file)
        printer.receive(event, of: file)
      }, onEnd: { [unowned self] in end($0, $1, seconds: $2) }, mayBegin: { !printer.isBehind })
    let terms = Dispatcher.Terms(
      jobs: arguments.jobs, connections: arguments.connections, limiter: limiter, isVerbose: arguments.isVerbose)
    let signal = try Dispatcher(queue, signals: signals, terms, audience).run()
    if let signal { return interrupted(signal) }
    sum()
    // A terminal may take its time to take the last words.
    signals.release()
    printer.finish()
    return tally.failure
  }

  /// False where nothing more is wanted.
  private func end(_ job: QueuedDownload, _ result: Result<DownloadReport, DownloadError>, seconds: Double) -> Bool {
    var record = records.take(job.number) ?? JobRecord()
    record.path = record.path ?? job.path
    let request = try? job.request.get()
    if endings.wantsMembers { record.url = request?.url.redacted ?? job.url }
    do throws(DownloadError) {
      let report = try result.get()
      return tell(job, record, report, isDryRun: request?.isDryRun ?? false, seconds: seconds)
    } catch {
      // That of all together is told once.
      if case .interrupted = error.failure {
        endings.tell(job.number, record, error, seconds: seconds, words: .nothing)
      } else {
        tally.note(error.failure, of: job.number)
        endings.tell(job.number, record, error, seconds: seconds)
      }
      return error.failure != .interrupted(SIGPIPE)
    }
  }

  /// A file that is here counts as such, whether its result can be written or not; that it cannot is told once.
  private func tell(
    _ job: QueuedDownload, _ record: JobRecord, _ report: DownloadReport, isDryRun: Bool, seconds: Double
  ) -> Bool {
    tally.note(report)
    do throws(DownloadError) {
      try endings.tell(job.number, record, report, isDryRun: isDryRun)
      return true
    } catch {
      guard error.failure != .interrupted(SIGPIPE) else {
        endings.tell(job.number, record, error, seconds: seconds, words: .nothing)
        return false
      }
      endings.tellUnwritten(job.number, record, report, error, isTold: tally.lacksResults)
      tally.noteUnwritten(error.failure, of: job.number)
      return true
    }
  }

  private func interrupted(_ signal: Int32) -> Failure {
    let error = DownloadError.interrupted(signal)
    if signal != SIGPIPE {
      sum()
      let advice = "run the same command again for the rest"
      endings.printer.end(
        nil, Ending(words: .note("\(error.message); \(advice)"), result: []))
    }
    endings.printer.finish(limit: 300)
    return error.failure
  }

  private func sum() {
    let seconds = MonotonicClock.seconds() - began
    guard let text = tally.summary(of: queue.count, after: seconds, isOpen: queue.isOpen) else { return }
    endings.printer.receive(.message(text), of: nil)
  }
}

/// What is known of the files under way: told on their own threads.
private final class JobRecords: Sendable {
  private let records = Mutex<[Int: JobRecord]>([:])

  func note(_ event: DownloadEvent, of file: Int) {
    records.withLock { $0[file, default: JobRecord()].note(event) }
  }

  /// What was told of a file that has ended.
  func take(_ file: Int) -> JobRecord? { records.withLock { $0.removeValue(forKey: file) } }
}
