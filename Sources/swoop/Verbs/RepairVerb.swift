internal import DownloadCore
internal import DownloadEngine

/// `swoop verify --repair URL FILE`: a file whose damaged blocks are fetched again.
struct RepairVerb {
  private let arguments: Arguments
  private let request: DownloadRequest
  private let path: String

  /// `digests`: those that the file must have, of options and of a list.
  static func run(
    _ arguments: Arguments, from address: String, _ digests: [Digest]
  ) throws(DownloadError) -> Failure? {
    let path = arguments.operands[0]
    let isMetalinkHere = arguments.isMetalinkFile(address)
    if !isMetalinkHere { try TypedURL.check(address, kind: FileLook.kind) }
    var target = DownloadRequest.Target()
    let slash = path.lastIndex(of: "/")
    target.folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    if let problem = FileName.typedNameProblem(name) { throw .usage("verify --repair: \(problem)") }
    target.name = name
    var request =
      isMetalinkHere
      ? try MetalinkSource(file: address).request(for: target, arguments)
      : try arguments.configured(DownloadRequest(url: URLParser.parse(typed: address)), target: target)
    for digest in digests { try request.digests.demand(digest) }
    return try RepairVerb(arguments: arguments, request: arguments.withPassword(request), path: path).run()
  }

  private func run() throws(DownloadError) -> Failure? {
    let outcome: Repair.Outcome
    var record = JobRecord()
    do throws(DownloadError) {
      outcome = try Sidelines.run(arguments) { sidelines throws(DownloadError) in
        // What is told while it runs is known to both: the record is the caller's again when all is told.
        var told = record
        defer { record = told }
        return try Repair(described(sidelines), signals: sidelines.signals, limiter: sidelines.limiter) { event in
          told.note(event)
          sidelines.printer.receive(event)
        }.run()
      }
    } catch {
      if error.failure == .digestMismatch, !arguments.printsJSON { try Results.print("\(path.printable): FAILED\n") }
      let members = Arguments.verifyMembers(path: path, fetched: record.fetched, error)
      return Diagnostics.tell(error, members, arguments)
    }
    if arguments.progress == .json {
      let ending = Ending(words: .nothing, result: members(outcome))
      Diagnostics.tell(ending, of: 0, to: .json, isQuiet: arguments.isQuiet)
    }
    if arguments.printsJSON {
      try Results.print(JSONValue.object(members(outcome)).text + "\n")
    } else if !arguments.isQuiet {
      try Results.print("\(path.printable): \(words(outcome))\n")
    }
    return nil
  }

  /// What the file must be, where the address is that of a metalink.
  private func described(_ sidelines: Sidelines) throws(DownloadError) -> DownloadRequest {
    guard request.url.path.endsIgnoringCase(Metalink.ending) else { return request }
    var job = request
    job.digests = try Number.digests(inFragmentOf: request.url)
    let fetch = MetalinkFetch(job, signals: sidelines.signals, limiter: sidelines.limiter) {
      sidelines.printer.receive($0)
    }
    guard case .metalink(let metalink) = try fetch.run() else { return request }
    return try MetalinkSource(metalink, by: job).request(for: request.target, arguments)
  }

  private func words(_ outcome: Repair.Outcome) -> String {
    switch outcome {
    case .right: "OK"
    case .repaired(let report): "repaired (\(report.bytes - report.resumed) bytes fetched again)"
    }
  }

  /// The members of the JSON object about the file.
  private func members(_ outcome: Repair.Outcome) -> [JSONMember] {
    var (digests, verified, fetched) = ([Digest](), [DigestAlgorithm](), Int64(0))
    switch outcome {
    case .right(let right): (digests, verified) = (right, right.map(\.algorithm))
    case .repaired(let report):
      (digests, verified, fetched) = (report.computed, report.verified, report.bytes - report.resumed)
    }
    return [
      JSONMember("path", .string(path)), JSONMember("digests", .digests(digests)),
      JSONMember("verified", .array(verified.map { .string($0.rawValue) })), JSONMember("fetched", .integer(fetched)),
    ] + JobRecord.ending(nil)
  }
}
