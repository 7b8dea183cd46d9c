internal import DownloadCore
internal import DownloadEngine
internal import Glibc

/// `swoop URL...` and `swoop resume NAME.part...`: one file by itself, several side by side, all of them tried.
struct DownloadVerbs {
  private let signals: SignalSource
  private let printer: ProgressPrinter
  /// Holds for all the files together.
  private let limiter: RateLimiter?
  private let endings: DownloadEndings

  /// Everything is checked, and a missing password asked for, before the signals are taken and the first job begins.
  static func run(_ arguments: Arguments) throws(DownloadError) -> Failure? {
    var arguments = arguments
    let typed = try arguments.verb == .resume ? resumed(arguments) : fetched(arguments)
    let source = try ChecksumList.Source(arguments)
    if let path = arguments.input {
      try InputReader.check(path)
      arguments.headers = try Arguments.withoutFiles(arguments.headers)
    }
    try askForPassword(&arguments)
    let style = arguments.progress.style(
      onTerminal: Terminal.isThere, kind: Terminal.kind, amidData: arguments.output.map(FileLook.isTerminal) ?? false)
    let signals = SignalSource()
    let limiter = arguments.rateLimit.map { RateLimiter($0) }
    let expansion = MetalinkExpansion(arguments: arguments, signals: signals, limiter: limiter, style: style)
    let jobs = expansion.expanded(typed.map { $0.withPassword(of: arguments) }).numbered
    let printer = ProgressPrinter(
      style, isQuiet: arguments.isQuiet, isVerbose: arguments.isVerbose, files: jobs.count,
      isOpen: arguments.input != nil)
    if let path = arguments.configurationRead { printer.receive(.trace("options from \(path)"), of: nil) }
    if !arguments.leftOutOfCurlLine.isEmpty {
      let names = arguments.leftOutOfCurlLine.joined(separator: ", ")
      printer.receive(.trace("not sent of the pasted line: \(names)"), of: nil)
    }
    let endings = DownloadEndings(
      printer: printer, printsResults: arguments.printsJSON, sendsToStandardOutput: arguments.sendsToStandardOutput)
    return DownloadVerbs(signals: signals, printer: printer, limiter: limiter, endings: endings)
      .run(jobs, source, arguments)
  }

  private static func fetched(_ arguments: Arguments) throws(DownloadError) -> [QueuedDownload] {
    var requests = try arguments.requests().makeIterator()
    var jobs: [QueuedDownload] = []
    for operand in arguments.operands {
      if arguments.isMetalinkFile(operand) {
        jobs += try MetalinkSource(file: operand).jobs(arguments)
      } else if let request = requests.next() {
        jobs.append(QueuedDownload(request: .success(request), mayBeMetalink: arguments.usesMetalinks))
      }
    }
    return jobs
  }

  private static func resumed(_ arguments: Arguments) throws(DownloadError) -> [QueuedDownload] {
    guard !arguments.operands.isEmpty else { throw .usage("resume needs a partial file: NAME.part") }
    try arguments.checkSeveralParts()
    var parts: [PartName] = []
    for operand in arguments.operands { parts.append(try PartName(typed: operand)) }
    var jobs: [QueuedDownload] = []
    for part in parts { jobs.append(try job(arguments, part)) }
    return jobs
  }

  /// Wrong words end everything; a part that cannot be used is a failure of this part alone.
  private static func job(_ arguments: Arguments, _ part: PartName) throws(DownloadError) -> QueuedDownload {
    let path = String(part.path.dropLast(".part".count))
    var url: String?
    do {
      let status = try PartStatus.read(folder: part.folder, name: part.name)
      url = status.url
      var request = try arguments.request(resuming: part, from: status.url, urlIsIncomplete: status.urlIsIncomplete)
      try request.want(partOf: status, part)
      try keepDigests(of: status, in: &request, arguments, part)
      return QueuedDownload(path: path, request: .success(request))
    } catch {
      if error.failure == .usage { throw error }
      return QueuedDownload(path: path, url: url, request: .failure(error))
    }
  }

  /// What the file must be stays, though its bytes are thrown away, and though its new address names a digest as well.
  private static func keepDigests(
    of status: PartStatus, in request: inout DownloadRequest, _ arguments: Arguments, _ part: PartName
  ) throws(DownloadError) {
    guard arguments.digests.isEmpty else { return }
    guard !request.digests.isEmpty else {
      guard request.restarts else { return }
      request.digests = status.digests
      request.digestsAreUnauthenticated = status.digestsAreUnauthenticated
      return
    }
    // One that is known to be wrong of all that is here may have been mistyped.
    let refuted = status.digests.filter { !status.computed.isEmpty && !status.computed.contains($0) }
    for kept in status.digests where !request.digests.contains(kept) && !refuted.contains(kept) {
      guard !request.digests.contains(where: { $0.algorithm == kept.algorithm }) else {
        throw .otherDigest(part: part.path, url: request.url, kept)
      }
      request.digests.append(kept)
    }
  }

  /// Asks for the password that `-u NAME` left out.
  private static func askForPassword(_ arguments: inout Arguments) throws(DownloadError) {
    guard let user = arguments.http.credentials, user.password == nil else { return }
    arguments.http.credentials?.password = try PasswordPrompt.ask(for: user.user)
  }

  private func run(
    _ jobs: [QueuedDownload], _ source: ChecksumList.Source?, _ arguments: Arguments
  ) -> Failure? {
    do throws(DownloadError) {
      let list = try source.map { source throws(DownloadError) in try self.list(source, for: jobs, arguments) }
      let jobs = try list.map { list throws(DownloadError) in try demanding(list, jobs) } ?? jobs
      guard jobs.count == 1, arguments.input == nil else { return try runSeveral(jobs, list ?? nil, arguments) }
      return run(jobs[0])
    } catch {
      // None of the files was begun.
      let failure = endings.tell(nil, JobRecord(), error, seconds: 0)
      printer.finish(limit: 300)
      return failure
    }
  }

  /// Nil where there is nothing to be fetched.
  private func list(
    _ source: ChecksumList.Source, for jobs: [QueuedDownload], _ arguments: Arguments
  ) throws(DownloadError) -> ChecksumList? {
    let files = jobs.compactMap { try? $0.request.get() }
    guard !files.isEmpty || arguments.input != nil else { return nil }
    return try source.list(for: files, arguments, signals: signals, limiter: limiter) { [printer] in
      printer.receive($0, of: nil)
    }
  }

  /// The digests of the list are known before any of the files is asked for; where one is missing, none is.
  private func demanding(_ list: ChecksumList?, _ jobs: [QueuedDownload]) throws(DownloadError) -> [QueuedDownload] {
    guard let list else { return jobs }
    var demanding = jobs
    for index in jobs.indices {
      guard case .success(let request) = jobs[index].request else { continue }
      demanding[index].request = .success(try list.demanding(request, amongFiles: jobs.count))
    }
    return demanding
  }

  private func runSeveral(
    _ jobs: [QueuedDownload], _ list: ChecksumList?, _ arguments: Arguments
  ) throws(DownloadError) -> Failure? {
    let queue = DownloadQueue(jobs, isOpen: arguments.input != nil)
    if let input = arguments.input {
      let entries = InputEntries(arguments, digests: list)
      let reader = InputReader(input, entries, queue, first: jobs.count) { [printer] in printer.expect($0, isOpen: $1) }
      try queue.fill { reader.run() }
    }
    return try SeveralDownloads(queue, signals: signals, limiter: limiter, endings, arguments).run()
  }

  private func run(_ job: QueuedDownload) -> Failure? {
    let failure = fetch(job)
    if case .interrupted = failure {
      printer.finish(limit: 300)
    } else {
      // A terminal may take its time to take the last words.
      signals.release()
      printer.finish()
    }
    return failure
  }

  private func fetch(_ job: QueuedDownload) -> Failure? {
    let began = MonotonicClock.seconds()
    var record = JobRecord(url: job.url, path: job.path)
    for note in job.notes { printer.receive(note, of: 0) }
    do throws(DownloadError) {
      let request = try job.request.get()
      record.url = request.url.redacted
      let report = try download(request, &record)
      try endings.tell(0, record, report, isDryRun: request.isDryRun)
      return nil
    } catch {
      return endings.tell(0, record, error, seconds: MonotonicClock.seconds() - began)
    }
  }

  private func download(
    _ request: DownloadRequest, _ record: inout JobRecord
  ) throws(DownloadError) -> DownloadReport {
    // What is told while it runs is known to both: the record is the caller's again when all is told.
    var told = record
    defer { record = told }
    return try Download(request, signals: signals, limiter: limiter) { [printer] event in
      told.note(event)
      printer.receive(event, of: 0)
    }.run()
  }
}

extension [QueuedDownload] {
  /// Each with its place among them.
  fileprivate var numbered: [QueuedDownload] {
    enumerated().map { number, job in
      var job = job
      job.number = number
      return job
    }
  }
}

extension QueuedDownload {
  /// With the password that was asked for.
  fileprivate func withPassword(of arguments: Arguments) -> QueuedDownload {
    guard let password = arguments.http.credentials?.password else { return self }
    var job = self
    job.request = request.map { request in
      var request = request
      if request.http.credentials?.password == nil { request.http.credentials?.password = password }
      return request
    }
    return job
  }
}
