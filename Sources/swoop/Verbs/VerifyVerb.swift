internal import DownloadCore
internal import DownloadEngine

/// `swoop verify FILE...`: checks files that are here already, and says so as md5sum does.
struct VerifyVerb {
  private let arguments: Arguments

  static func run(_ arguments: Arguments) throws(DownloadError) -> Failure? {
    try check(arguments)
    Diagnostics.noteConfiguration(of: arguments)
    let verb = VerifyVerb(arguments: arguments)
    if let address = arguments.repairURL {
      return try RepairVerb.run(arguments, from: address, verb.digestsOfOneFile())
    }
    var checks = try verb.checks(verb.list())
    for index in checks.indices { checks[index].file = index }
    return try VerifyRun(checks, arguments, verb.style).run()
  }

  /// Throws where the words make no sense.
  static func check(_ arguments: Arguments) throws(DownloadError) {
    if let url = arguments.operands.first(where: isURL) {
      throw .usage("verify checks files that are here, and '\(Redactor.address(url))' is a URL")
    }
    let hasList = arguments.checksumFile != nil
    guard hasList || !arguments.operands.isEmpty, !arguments.operands.contains("") else {
      throw .usage("verify needs a file")
    }
    if arguments.repairURL != nil {
      guard arguments.operands.count == 1 else { throw .usage("verify --repair needs one file") }
      return
    }
    guard hasList || !arguments.digests.isEmpty else {
      throw .usage("verify needs a digest (--sha256 HEX or the like) or a list of them (-c SUMS)")
    }
    guard arguments.digests.isEmpty || arguments.operands.count == 1 else {
      throw .usage("a digest is that of one file, and there are several files")
    }
  }

  private static func isURL(_ word: String) -> Bool {
    word.contains("://") || (TypedURL.hasLogin(word) && FileLook.kind(word) == .nothing)
  }

  /// Signals are taken only while the list is fetched.
  private func list() throws(DownloadError) -> ChecksumList? {
    guard let source = try ChecksumList.Source(arguments) else { return nil }
    let signals = SignalSource()
    defer { signals.release() }
    let printer = ProgressPrinter(style, isQuiet: arguments.isQuiet, isVerbose: arguments.isVerbose)
    defer { printer.finish(limit: 300) }
    let limiter = arguments.rateLimit.map { RateLimiter($0) }
    let list = try source.list(for: [], arguments, signals: signals, limiter: limiter) { printer.receive($0, of: nil) }
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

  /// Lines of progress in a log are for downloads: here they come only where they are asked for.
  private var style: ProgressStyle {
    guard Terminal.isThere || arguments.progress != .automatic else { return .none }
    return arguments.progress.style(onTerminal: Terminal.isThere, kind: Terminal.kind)
  }
}

/// What is to be checked.
extension VerifyVerb {
  /// A file and the digests that it must have, or why that is not known.
  struct Check {
    var path: String
    var digests: Result<[Digest], DownloadError>
    /// Its name comes from a list, which anybody may have written.
    var isListed = false
    /// Its place among the files, from 0.
    var file = 0
  }

  private func checks(_ list: ChecksumList?) throws(DownloadError) -> [Check] {
    guard let list else { return [Check(path: arguments.operands[0], digests: .success(arguments.digests))] }
    guard !arguments.operands.isEmpty else { return try Self.all(of: list) }
    guard list.file.bare == nil || arguments.operands.count == 1 else { throw .checksumFile(list.shown, .bareDigest) }
    guard list.file.bare != nil || !list.file.entries.isEmpty else { throw .checksumFile(list.shown, .noDigests) }
    return arguments.operands.map { path in Check(path: path, digests: digests(of: path, list)) }
  }

  /// Those of the one file, of options and of a list.
  private func digestsOfOneFile() throws(DownloadError) -> [Digest] {
    guard let list = try list() else { return arguments.digests }
    return try checks(list)[0].digests.get()
  }

  /// Those of a file that was named: under its path, else under its name alone.
  private func digests(of path: String, _ list: ChecksumList) -> Result<[Digest], DownloadError> {
    do throws(DownloadError) {
      let bare = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
      let name = bare.lastIndex(of: "/").map { String(bare[bare.index(after: $0)...]) } ?? bare
      var digests = arguments.digests
      for digest in try list.digests(of: [bare, name], amongFiles: 1) { try digests.demand(digest) }
      return .success(digests)
    } catch {
      return .failure(error)
    }
  }

  /// Every line of a list, its names as they are, from the working directory.
  private static func all(of list: ChecksumList) throws(DownloadError) -> [Check] {
    guard list.file.bare == nil else { throw .usage("verify needs a file: \(list.shown) names none") }
    guard !list.file.entries.isEmpty else { throw .checksumFile(list.shown, .noDigests) }
    return list.file.entries.map { entry in
      if let path = entry.path { return Check(path: path, digests: .success([entry.digest]), isListed: true) }
      let name = String(decoding: entry.name, as: UTF8.self)
      let problem = DownloadError(.usage, "\(list.shown): the name \(name) is not in UTF-8, its file is not looked for")
      return Check(path: name, digests: .failure(problem), isListed: true)
    }
  }
}
