internal import DownloadCore
internal import DownloadEngine
internal import Glibc

/// `swoop URL...` and `swoop resume NAME.part...`: jobs one after another, all of them tried.
struct DownloadVerbs {
  /// A job, or why there is none.
  typealias Job = Result<DownloadRequest, DownloadError>

  private let signals: SignalSource
  private let printer: ProgressPrinter
  /// Holds for all the files together.
  private let limiter: RateLimiter?

  /// Everything is checked, and a missing password asked for, before the signals are taken and the first job begins.
  static func run(_ arguments: Arguments) throws(DownloadError) -> Failure? {
    let jobs = try withPassword(of: arguments, arguments.verb == .resume ? resumed(arguments) : fetched(arguments))
    let source = try ChecksumList.Source(arguments)
    let style = arguments.progress.style(onTerminal: Terminal.isThere, kind: Terminal.kind)
    let signals = SignalSource()
    let printer = ProgressPrinter(style, isQuiet: arguments.isQuiet, isVerbose: arguments.isVerbose)
    if let path = arguments.configurationRead { printer.receive(.trace("options from \(path)")) }
    if !arguments.leftOutOfCurlLine.isEmpty {
      printer.receive(.trace("not sent of the pasted line: \(arguments.leftOutOfCurlLine.joined(separator: ", "))"))
    }
    let limiter = arguments.rateLimit.map { RateLimiter($0) }
    return DownloadVerbs(signals: signals, printer: printer, limiter: limiter).run(jobs, source, arguments)
  }

  private static func fetched(_ arguments: Arguments) throws(DownloadError) -> [Job] {
    try arguments.requests().map { .success($0) }
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
    do {
      let status = try PartStatus.read(folder: part.folder, name: part.name)
      var request = try arguments.request(resuming: part, from: status.url, urlIsIncomplete: status.urlIsIncomplete)
      try keepDigests(of: status, in: &request, arguments, part)
      return .success(request)
    } catch {
      if error.failure == .usage { throw error }
      return .failure(error)
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
    for kept in status.digests where !request.digests.contains(kept) {
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
      job.map { request in
        var request = request
        request.http.credentials?.password = password
        return request
      }
    }
  }

  /// The digests of the list are known before any of the files is asked for; where one is missing, none is.
  private func demanding(
    _ source: ChecksumList.Source, _ jobs: [Job], _ arguments: Arguments
  ) throws(DownloadError) -> [Job] {
    let files = jobs.compactMap { try? $0.get() }
    guard !files.isEmpty else { return jobs }
    let list = try source.list(for: files, arguments, signals: signals, limiter: limiter) { [printer] in
      printer.receive($0)
    }
    var demanding: [Job] = []
    for job in jobs {
      guard case .success(let request) = job else {
        demanding.append(job)
        continue
      }
      demanding.append(.success(try list.demanding(request, amongFiles: jobs.count)))
    }
    return demanding
  }

  private func run(_ jobs: [Job], _ source: ChecksumList.Source?, _ arguments: Arguments) -> Failure? {
    do throws(DownloadError) {
      return run(try source.map { source throws(DownloadError) in try demanding(source, jobs, arguments) } ?? jobs)
    } catch {
      complain(error)
      printer.finish(limit: 300)
      return error.failure
    }
  }

  private func run(_ jobs: [Job]) -> Failure? {
    var first: Failure?
    var saved = SavedNames()
    for job in jobs {
      guard let failure = run(job, &saved) else { continue }
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

  private func run(_ job: Job, _ saved: inout SavedNames) -> Failure? {
    do {
      var request = try job.get()
      request.target.taken = saved.names(in: request.target.folder)
      let download = Download(request, signals: signals, limiter: limiter) { [printer] in printer.receive($0) }
      let report = try download.run()
      saved.note(report, in: request.target.folder)
      if let result = report.result(ofDryRun: request.isDryRun) {
        try Results.print(result)
      } else if let summary = report.summary {
        printer.conclude(Diagnostics.note(summary), bytes: report.bytes)
      }
      return nil
    } catch {
      complain(error)
      return error.failure
    }
  }

  private func complain(_ error: DownloadError) {
    switch error.failure {
    // The reader of the results went away, and knows it.
    case .interrupted(SIGPIPE): break
    case .interrupted: printer.complain(Diagnostics.note(error.message))
    default: printer.complain(Diagnostics.error(error.message))
    }
  }
}
