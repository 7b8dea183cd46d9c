internal import DownloadCore
internal import DownloadEngine
internal import Glibc

/// Checks files, several at a time, and says what came of each in the order in which they were given.
struct VerifyRun {
  private let checks: [VerifyVerb.Check]
  private let arguments: Arguments
  private var display: VerifyDisplay
  /// How many files came to each verdict.
  private var counts: [Verdict: Int] = [:]

  enum Verdict: String {
    case right = "OK"
    case wrong = "FAILED"
    case unreadable = "FAILED open or read"
    /// No digest of it is known, or none that can be computed here.
    case unchecked = "FAILED not checked"
  }

  init(_ checks: [VerifyVerb.Check], _ arguments: Arguments, _ style: ProgressStyle) {
    self.checks = checks
    self.arguments = arguments
    display = VerifyDisplay(style, arguments, files: checks.count)
  }

  /// A file that is wrong weighs more than one that cannot be read, and that more than one that was not checked.
  consuming func run() throws(DownloadError) -> Failure? {
    let known = checks.indices.filter { (try? checks[$0].digests.get()) != nil }
    let batch = DigestBatch(known.map { job(checks[$0]) })
    var run = self
    var next = 0
    try batch.run(onProgress: { run.display.show($0, of: $1) }) { index, outcome throws(DownloadError) in
      // Those that have no digest come in their place.
      while next < known[index] { try run.sayUnchecked(&next) }
      try run.say(outcome, of: run.checks[next])
      next += 1
    }
    while next < run.checks.count { try run.sayUnchecked(&next) }
    run.display.wipe()
    run.sum()
    return run.failure
  }

  private func job(_ check: VerifyVerb.Check) -> DigestBatch.Job {
    let digests = (try? check.digests.get()) ?? []
    return DigestBatch.Job(path: check.path, algorithms: digests.map(\.algorithm), mustBeRegular: check.isListed)
  }

  private var failure: Failure? {
    if counts[.wrong] != nil { return .digestMismatch }
    if counts[.unreadable] != nil { return .local }
    return counts[.unchecked] == nil ? nil : .usage
  }
}

/// Saying so.
extension VerifyRun {
  private mutating func sayUnchecked(_ next: inout Int) throws(DownloadError) {
    let check = checks[next]
    next += 1
    guard case .failure(let error) = check.digests else { return }
    try say(.failure(error), of: check)
  }

  private mutating func say(_ outcome: DigestBatch.Outcome, of check: VerifyVerb.Check) throws(DownloadError) {
    display.wipe()
    switch outcome {
    case .failure(let error):
      try say(error.failure == .local ? .unreadable : .unchecked, of: check, [], [error])
    case .success(let computed):
      let wrong = try check.digests.get().filter { !computed.contains($0) }
      let errors = wrong.map { digest in
        let got = computed.first { $0.algorithm == digest.algorithm }
        return DownloadError(.digestMismatch, DownloadError.mismatch(check.path, expected: digest, got: got))
      }
      try say(errors.isEmpty ? .right : .wrong, of: check, computed, errors)
    }
  }

  private mutating func say(
    _ verdict: Verdict, of check: VerifyVerb.Check, _ computed: [Digest], _ errors: [DownloadError]
  ) throws(DownloadError) {
    counts[verdict, default: 0] += 1
    let members = Self.members(check, computed, errors)
    if arguments.progress == .json {
      let ending = Ending(words: .nothing, result: members)
      Diagnostics.tell(ending, of: check.file, to: .json, isQuiet: arguments.isQuiet)
    } else {
      for error in errors {
        Diagnostics.tell(Ending(words: error.words, result: []), to: arguments.progress, isQuiet: arguments.isQuiet)
      }
    }
    if arguments.printsJSON { return try Results.print(JSONValue.object(members).text + "\n") }
    guard let line = Self.line(check.path, verdict, isQuiet: arguments.isQuiet) else { return }
    try Results.print(line)
  }

  /// The members of the JSON object about a file.
  static func members(_ check: VerifyVerb.Check, _ computed: [Digest], _ errors: [DownloadError]) -> [JSONMember] {
    let all = errors.first.map { DownloadError($0.failure, errors.map(\.message).joined(separator: "; ")) }
    let right = ((try? check.digests.get()) ?? []).filter { computed.contains($0) }
    return [
      JSONMember("path", .string(check.path)), JSONMember("digests", .digests(computed)),
      JSONMember("verified", .array(right.map { .string($0.algorithm.rawValue) })),
    ] + JobRecord.ending(all)
  }

  /// What standard output is told, as md5sum tells it: a backslash before the line where the name is escaped, which it is
  /// only where it would be more than one line. Nil where `-q` leaves good news out.
  static func line(_ file: String, _ verdict: Verdict, isQuiet: Bool) -> String? {
    guard verdict != .right || !isQuiet else { return nil }
    guard file.unicodeScalars.contains("\n") else { return "\(file.printable): \(verdict.rawValue)\n" }
    let escaped = file.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": "\\\\"
      case "\n": "\\n"
      case "\r": "\\r"
      default: String(scalar)
      }
    }
    return "\\\(escaped.joined().printable): \(verdict.rawValue)\n"
  }

  /// The last line where one of several files failed.
  private func sum() {
    guard !arguments.isQuiet, checks.count > 1, let text = Self.sum(counts, of: checks.count) else { return }
    Diagnostics.warn(text, to: arguments.progress)
  }

  /// `of 4 files 1 does not match, 2 could not be read`; nil where all are right.
  static func sum(_ counts: [Verdict: Int], of count: Int) -> String? {
    let clauses: [(Verdict, String, String)] = [
      (.wrong, "does not match", "do not match"), (.unreadable, "could not be read", "could not be read"),
      (.unchecked, "was not checked", "were not checked"),
    ]
    let parts = clauses.compactMap { verdict, one, several in
      counts[verdict].map { "\($0) \($0 == 1 ? one : several)" }
    }
    return parts.isEmpty ? nil : "of \(count) files \(parts.joined(separator: ", "))"
  }
}
