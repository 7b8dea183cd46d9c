internal import DownloadCore
internal import DownloadEngine

/// `swoop verify FILE...`: checks files that are here already, and says so as md5sum does.
struct VerifyVerb {
  private let arguments: Arguments

  static func run(_ arguments: Arguments) throws(DownloadError) -> Failure? {
    try check(arguments)
    let verb = VerifyVerb(arguments: arguments)
    var checks = try verb.checks(verb.list())
    for index in checks.indices { checks[index].file = index }
    return try verb.run(checks)
  }

  /// Throws where the words make no sense.
  static func check(_ arguments: Arguments) throws(DownloadError) {
    if let url = arguments.operands.first(where: { $0.contains("://") }) {
      throw .usage("verify checks files that are here, and '\(Redactor.address(url))' is a URL")
    }
    let hasList = arguments.checksumFile != nil
    guard hasList || !arguments.operands.isEmpty, !arguments.operands.contains("") else {
      throw .usage("verify needs a file")
    }
    guard hasList || !arguments.digests.isEmpty else {
      throw .usage("verify needs a digest: --md5, --sha1, --sha256, --sha512, --checksum or --checksum-file")
    }
    guard arguments.digests.isEmpty || arguments.operands.count == 1 else {
      throw .usage("a digest is that of one file, and there are several files")
    }
  }

  /// Signals are taken only while the list is fetched.
  private func list() throws(DownloadError) -> ChecksumList? {
    guard let source = try ChecksumList.Source(arguments) else { return nil }
    let signals = SignalSource()
    defer { signals.release() }
    let printer = makePrinter()
    defer { printer.finish(limit: 300) }
    let list = try source.list(for: [], arguments, signals: signals) { printer.receive($0, of: nil) }
    if list.isUnauthenticated {
      let text = "digest not authenticated: \(list.shown) came over plain http"
      printer.receive(.message(text), of: nil)
    }
    let strays = list.file.strayLines
    if strays > 0 {
      printer.receive(.warning("lines of \(list.shown) that are no digest of a file: \(strays)"), of: nil)
    }
    return list
  }

  private func makePrinter() -> ProgressPrinter {
    ProgressPrinter(style, isQuiet: arguments.isQuiet, isVerbose: arguments.isVerbose)
  }

  /// Lines of progress in a log are for downloads: here they come only where they are asked for.
  private var style: ProgressStyle {
    guard Terminal.isThere || arguments.progress != .automatic else { return .none }
    return arguments.progress.style(onTerminal: Terminal.isThere, kind: Terminal.kind)
  }
}

/// What is to be checked.
extension VerifyVerb {
  /// A file and the digests that it must have.
  struct Check: Hashable {
    var path: String
    var digests: [Digest]
    /// Its name comes from a list, which anybody may have written.
    var isListed = false
    /// Its place among the files, from 0.
    var file = 0
  }

  private func checks(_ list: ChecksumList?) throws(DownloadError) -> [Check] {
    guard let list else { return [Check(path: arguments.operands[0], digests: arguments.digests)] }
    guard !arguments.operands.isEmpty else { return try Self.all(of: list) }
    var checks: [Check] = []
    for path in arguments.operands {
      let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
      var check = Check(path: path, digests: arguments.digests)
      for digest in try list.digests(of: [String(name)], amongFiles: arguments.operands.count) {
        try check.digests.demand(digest)
      }
      checks.append(check)
    }
    return checks
  }

  /// Every line of a list, its names as they are, from the working directory.
  private static func all(of list: ChecksumList) throws(DownloadError) -> [Check] {
    guard list.file.bare == nil else { throw .usage("verify needs a file: \(list.shown) names none") }
    guard !list.file.entries.isEmpty else { throw .checksumFile(list.shown, .noDigests) }
    return list.file.entries.map { entry in
      let path = entry.path ?? String(decoding: entry.name, as: UTF8.self)
      return Check(path: path, digests: [entry.digest], isListed: true)
    }
  }
}

/// Checking.
extension VerifyVerb {
  /// A file that is wrong weighs more than one that cannot be read.
  private func run(_ checks: [Check]) throws(DownloadError) -> Failure? {
    var worst: Failure?
    for check in checks {
      guard let failure = try run(check) else { continue }
      worst = worst == .digestMismatch ? worst : failure
    }
    return worst
  }

  private func run(_ check: Check) throws(DownloadError) -> Failure? {
    let computed: [Digest]
    do {
      computed = try compute(check)
    } catch {
      guard error.failure == .local else { throw error }
      try say(.unreadable, of: check, [], [error])
      return .local
    }
    let errors = check.digests.filter { !computed.contains($0) }.map { digest in
      DownloadError(.digestMismatch, Self.mismatch(check.path, digest, computed))
    }
    try say(errors.isEmpty ? .right : .wrong, of: check, computed, errors)
    return errors.isEmpty ? nil : .digestMismatch
  }

  private func compute(_ check: Check) throws(DownloadError) -> [Digest] {
    // A device or FIFO could go on for ever.
    guard !check.isListed || FileLook.kind(check.path) != .stream else {
      throw DownloadError(.local, "cannot read \(check.path): it is no regular file")
    }
    let printer = makePrinter()
    defer { printer.finish() }
    return try FileDigests.compute(of: check.path, check.digests.map(\.algorithm)) { done, total in
      let progress = Progress(activity: .verifying, done: done, total: total, rate: nil, connections: 0)
      printer.receive(.progress(progress), of: check.file)
    }
  }

  static func mismatch(_ file: String, _ expected: Digest, _ computed: [Digest]) -> String {
    let got = computed.first { $0.algorithm == expected.algorithm }?.hex ?? "nothing"
    return "\(expected.algorithm.rawValue) of \(file) does not match: expected \(expected.hex), got \(got)"
  }
}

/// Saying so.
extension VerifyVerb {
  enum Verdict: String {
    case right = "OK"
    case wrong = "FAILED"
    case unreadable = "FAILED open or read"
  }

  private func say(
    _ verdict: Verdict, of check: Check, _ computed: [Digest], _ errors: [DownloadError]
  ) throws(DownloadError) {
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
  static func members(_ check: Check, _ computed: [Digest], _ errors: [DownloadError]) -> [JSONMember] {
    let all = errors.first.map { DownloadError($0.failure, errors.map(\.message).joined(separator: "; ")) }
    let right = check.digests.filter { computed.contains($0) }
    return [
      JSONMember("path", .string(check.path)), JSONMember("digests", .digests(computed)),
      JSONMember("verified", .array(right.map { .string($0.algorithm.rawValue) })),
    ] + JobRecord.ending(all)
  }

  /// What standard output is told; nil where `-q` leaves good news out.
  static func line(_ file: String, _ verdict: Verdict, isQuiet: Bool) -> String? {
    verdict == .right && isQuiet ? nil : "\(file.printable): \(verdict.rawValue)\n"
  }
}
