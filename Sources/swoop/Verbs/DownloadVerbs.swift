internal import DownloadCore
internal import DownloadEngine
internal import Glibc

/// `swoop URL...` and `swoop resume NAME.part...`: jobs one after another, all of them tried.
struct DownloadVerbs {
  /// A job, or why there is none.
  struct Job {
    /// The finished file's, as far as it is known.
    var path: String?
    var request: Result<DownloadRequest, DownloadError>
    /// Its URL may be a metalink's, or its server may know more of the file.
    var mayBeMetalink = false
    /// What there is to say of it before it begins.
    var notes: [DownloadEvent] = []
  }

  private let signals: SignalSource
  private let printer: ProgressPrinter
  /// Holds for all the files together.
  private let limiter: RateLimiter?
  /// Whether each file's end is told on standard output.
  private let printsResults: Bool
  /// Standard output is the file's: results go where messages go.
  private let sendsToStandardOutput: Bool

  /// Everything is checked, and a missing password asked for, before the signals are taken and the first job begins.
  static func run(_ arguments: Arguments) throws(DownloadError) -> Failure? {
    let typed = try withPassword(of: arguments, arguments.verb == .resume ? resumed(arguments) : fetched(arguments))
    let source = try ChecksumList.Source(arguments)
    let style = arguments.progress.style(onTerminal: Terminal.isThere, kind: Terminal.kind)
    let signals = SignalSource()
    let limiter = arguments.rateLimit.map { RateLimiter($0) }
    let expansion = MetalinkExpansion(arguments: arguments, signals: signals, limiter: limiter, style: style)
    let jobs = expansion.expanded(typed)
    let printer = ProgressPrinter(
      style, isQuiet: arguments.isQuiet, isVerbose: arguments.isVerbose, files: jobs.count)
    if let path = arguments.configurationRead { printer.receive(.trace("options from \(path)"), of: nil) }
    if !arguments.leftOutOfCurlLine.isEmpty {
      let names = arguments.leftOutOfCurlLine.joined(separator: ", ")
      printer.receive(.trace("not sent of the pasted line: \(names)"), of: nil)
    }
    return DownloadVerbs(
      signals: signals, printer: printer, limiter: limiter, printsResults: arguments.printsJSON,
      sendsToStandardOutput: arguments.sendsToStandardOutput
    ).run(jobs, source, arguments)
  }

  private static func fetched(_ arguments: Arguments) throws(DownloadError) -> [Job] {
    var requests = try arguments.requests().makeIterator()
    var jobs: [Job] = []
    for operand in arguments.operands {
      if arguments.isMetalinkFile(operand) {
        jobs += try MetalinkSource(file: operand).jobs(arguments)
      } else if let request = requests.next() {
        jobs.append(Job(request: .success(request), mayBeMetalink: arguments.usesMetalinks))
      }
    }
    return jobs
  }

  private static func resumed(_ arguments: Arguments) throws(DownloadError) -> [Job] {
    guard !arguments.operands.isEmpty else { throw .usage("resume needs a partial file: NAME.part") }
    try arguments.checkSeveralParts()
    var parts: [PartName] = []
    for operand in arguments.operands { parts.append(try PartName(typed: operand)) }
    var jobs: [Job] = []
    for part in parts { jobs.append(try job(arguments, part)) }
    return jobs
  }

  /// Wrong words end everything; a part that cannot be used is a failure of this part alone.
  private static func job(_ arguments: Arguments, _ part: PartName) throws(DownloadError) -> Job {
    let path = String(part.path.dropLast(".part".count))
    do {
      let status = try PartStatus.read(folder: part.folder, name: part.name)
      var request = try arguments.request(resuming: part, from: status.url, urlIsIncomplete: status.urlIsIncomplete)
      try request.want(partOf: status, part)
      try keepDigests(of: status, in: &request, arguments, part)
      return Job(path: path, request: .success(request))
    } catch {
      if error.failure == .usage { throw error }
      return Job(path: path, request: .failure(error))
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
  private static func withPassword(of arguments: Arguments, _ jobs: [Job]) throws(DownloadError) -> [Job] {
    guard let user = arguments.http.credentials, user.password == nil else { return jobs }
    let password = try PasswordPrompt.ask(for: user.user)
    return jobs.map { job in
      var job = job
      job.request = job.request.map { request in
        var request = request
        request.http.credentials?.password = password
        return request
      }
      return job
    }
  }

  /// The digests of the list are known before any of the files is asked for; where one is missing, none is.
  private func demanding(
    _ source: ChecksumList.Source, _ jobs: [Job], _ arguments: Arguments
  ) throws(DownloadError) -> [Job] {
    let files = jobs.compactMap { try? $0.request.get() }
    guard !files.isEmpty else { return jobs }
    let list = try source.list(for: files, arguments, signals: signals, limiter: limiter) { [printer] in
      printer.receive($0, of: nil)
    }
    var demanding = jobs
    for index in jobs.indices {
      guard case .success(let request) = jobs[index].request else { continue }
      demanding[index].request = .success(try list.demanding(request, amongFiles: jobs.count))
    }
    return demanding
  }

  private func run(_ jobs: [Job], _ source: ChecksumList.Source?, _ arguments: Arguments) -> Failure? {
    do throws(DownloadError) {
      return run(try source.map { source throws(DownloadError) in try demanding(source, jobs, arguments) } ?? jobs)
    } catch {
      // None of the files was begun.
      let failure = end(nil, JobRecord(), error, seconds: 0)
      printer.finish(limit: 300)
      return failure
    }
  }

  private func run(_ jobs: [Job]) -> Failure? {
    var first: Failure?
    var saved = SavedNames()
    for (file, job) in jobs.enumerated() {
      guard let failure = run(job, file, &saved) else { continue }
      first = first ?? failure
      if case .interrupted = failure {
        printer.finish(limit: 300)
        return failure
      }
    }
    // A terminal may take its time to take the last words.
    signals.release()
    printer.finish()
    return first
  }

  private func run(_ job: Job, _ file: Int, _ saved: inout SavedNames) -> Failure? {
    let began = MonotonicClock.seconds()
    var record = JobRecord(path: job.path)
    for note in job.notes { printer.receive(note, of: file) }
    do {
      var request = try job.request.get()
      record.url = request.url.redacted
      request.target.taken = saved.names(in: request.target.folder)
      let report = try download(request, file, &record)
      saved.note(report, in: request.target.folder)
      return try end(file, record, report, isDryRun: request.isDryRun)
    } catch {
      return end(file, record, error, seconds: MonotonicClock.seconds() - began)
    }
  }

  private func download(
    _ request: DownloadRequest, _ file: Int, _ record: inout JobRecord
  ) throws(DownloadError) -> DownloadReport {
    // What is told while it runs is known to both: the record is the caller's again when all is told.
    var told = record
    defer { record = told }
    return try Download(request, signals: signals, limiter: limiter) { [printer] event in
      told.note(event)
      printer.receive(event, of: file)
    }.run()
  }

  /// Tells how a file ended well. Throws where the result cannot be written.
  private func end(
    _ file: Int, _ record: JobRecord, _ report: DownloadReport, isDryRun: Bool
  ) throws(DownloadError) -> Failure? {
    let members = record.members(report)
    let found = report.result(ofDryRun: isDryRun)
    let words = found == nil ? report.summary.map { Ending.Words.news($0) } ?? .nothing : .nothing
    let result = printsResults ? JSONValue.object(members).text + "\n" : found
    let isBeside = sendsToStandardOutput
    if let result, !isBeside { try Results.print(result) }
    let ending = Ending(words: words, result: members, appendix: isBeside ? result.map { String($0.dropLast()) } : nil)
    printer.end(file, complete: report.outcome == .planned ? nil : report.bytes, ending)
    return nil
  }

  /// Tells of a failure, and gives the failure that counts.
  private func end(_ file: Int?, _ record: JobRecord, _ error: DownloadError, seconds: Double) -> Failure {
    let members = record.members(error, seconds: seconds)
    let isTold = printsResults && error.failure != .interrupted(SIGPIPE)
    let text = JSONValue.object(members).text
    printer.end(
      file, Ending(words: error.words, result: members, appendix: isTold && sendsToStandardOutput ? text : nil))
    guard isTold, !sendsToStandardOutput else { return error.failure }
    do throws(DownloadError) {
      try Results.print(text + "\n")
    } catch {
      // Of the two failures the first is the one to report.
      printer.receive(.warning(error.message), of: file)
    }
    return error.failure
  }
}
