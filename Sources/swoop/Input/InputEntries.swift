internal import DownloadCore
internal import DownloadEngine

/// Makes jobs of the entries of a list.
struct InputEntries: Sendable {
  /// What holds for all of them.
  private let arguments: Arguments
  /// The list's name as it may be shown.
  private let shown: String
  /// Digests of all files, where such a list is given as well.
  private let digests: ChecksumList?

  /// Options that are no single file's.
  static let wholeCommand: Set = [
    "config", "no-config", "help", "version", "generate", "progress", "json", "quiet", "verbose", "input", "jobs",
    "connections", "limit-rate", "checksum-file", "directory", "dry-run",
    "metalink",
  ]

  init(_ arguments: Arguments, digests: ChecksumList?) {
    self.arguments = arguments
    shown = arguments.input == "-" ? "standard input" : arguments.input ?? ""
    self.digests = digests
  }

  /// The job of an entry. What is wrong with it is this file's failure.
  func job(_ entry: InputList.Entry, number: Int) -> QueuedDownload {
    let result = Result { () throws(DownloadError) in try request(entry) }
    let url = (try? result.get()) == nil ? shownURL(of: entry) : nil
    return QueuedDownload(number: number, url: url, request: result)
  }

  /// The URL of an entry that is of no use, where that was understood all the same.
  private func shownURL(of entry: InputList.Entry) -> String? {
    var bare = Arguments()
    (bare.usesMetalinks, bare.ignoresConfiguration) = (arguments.usesMetalinks, true)
    return (try? bare.request(ofEntry: entry.url))?.url.redacted
  }

  private func request(_ entry: InputList.Entry) throws(DownloadError) -> DownloadRequest {
    if let problem = entry.problem { throw error(problem.line, problem.kind.words) }
    var arguments = arguments
    for option in entry.options {
      do throws(DownloadError) {
        try apply(option, to: &arguments)
      } catch {
        throw self.error(option.line, error.message)
      }
    }
    do throws(DownloadError) {
      let request = try arguments.request(ofEntry: entry.url)
      guard let digests else { return request }
      return try digests.demanding(request, amongFiles: 2)
    } catch {
      throw DownloadError(error.failure, "\(shown):\(entry.line): \(error.message)")
    }
  }

  private func apply(_ option: InputList.Option, to arguments: inout Arguments) throws(DownloadError) {
    let name = option.name
    guard let flag = Flags.named(name) else { throw .usage(Configuration.unknown(name, value: option.value)) }
    guard !Self.wholeCommand.contains(name) else {
      throw .usage("\(name) holds for the whole command, not for one file")
    }
    guard flag.verbs.contains(.fetch) else { throw Suggestion.stray(flag, typed: name, .fetch) }
    switch (flag.effect, option.value) {
    case (.toggle, .some): throw .usage("\(name) takes no value")
    case (.toggle(let effect), nil): effect(&arguments)
    case (.value(let placeholder, _), nil): throw .usage("\(name) needs a value: \(name)=\(placeholder)")
    case (.value(_, let effect), let value?):
      do { try effect(&arguments, value) } catch let problem as DownloadError {
        throw problem
      } catch {
        throw .usage("\(name): \(error)")
      }
    }
    try check(arguments)
  }

  /// A list says where files are, and not what of this machine is sent there.
  private func check(_ arguments: Arguments) throws(DownloadError) {
    if case .file = arguments.headers.last { throw .usage("a list cannot name a file of headers") }
    if let login = arguments.http.credentials, login.password == nil { throw .usage("user needs NAME:PASSWORD here") }
  }

  private func error(_ line: Int, _ message: String) -> DownloadError { .usage("\(shown):\(line): \(message)") }
}

extension InputList.Problem.Kind {
  fileprivate var words: String {
    switch self {
    case .tooLong: "the line has more than \(InputList.mostOfLine >> 10) KiB"
    case .notText: "it is no text in UTF-8, or has control characters"
    case .noURL: "an option stands here, and no URL above it"
    case .tooMuch: "the entry's options have more than \(InputList.mostOfEntry >> 10) KiB"
    }
  }
}
