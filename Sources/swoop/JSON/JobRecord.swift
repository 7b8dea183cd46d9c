internal import DownloadCore

/// What is known of one file's download, for the object that tells its end.
struct JobRecord: Sendable {
  /// As it may be shown; nil where no address was understood.
  var url: String?
  /// The finished file's; nil where the name is not known yet.
  var path: String?
  private var bytes: Int64 = 0
  private var resumed: Int64 = 0
  private var connections = 0
  private var retries = 0
  /// Empty where there was one.
  private var sources: [SourceReport] = []

  /// Of the bytes that are here, those of this run.
  var fetched: Int64 { max(0, bytes - resumed) }

  init(url: String? = nil, path: String? = nil) {
    self.url = url
    self.path = path
  }

  mutating func note(_ event: DownloadEvent) {
    switch event {
    case .started(_, let path, let here):
      self.path = path
      bytes = here.done
      resumed = here.done
    case .progress(let progress) where progress.activity == .fetching:
      bytes = progress.done
      connections = max(connections, progress.connections)
    case .retry: retries += 1
    case .sources(let all): sources = all
    case .restarted:
      bytes = 0
      resumed = 0
    default: break
    }
  }

  /// The members after an end that was a success, but for what went wrong with the telling of it.
  func members(_ report: DownloadReport, _ error: DownloadError? = nil) -> [JSONMember] {
    let isUnknown = report.outcome == .planned && !report.lengthIsKnown
    var members = [
      JSONMember("url", .text(url)), JSONMember("path", .string(report.path)),
      JSONMember("outcome", .string(report.outcome.word)),
      JSONMember("bytes", isUnknown ? .null : .integer(report.bytes)), JSONMember("resumed", .integer(report.resumed)),
      JSONMember("seconds", .seconds(report.seconds)), JSONMember("connections", .integer(Int64(report.connections))),
      JSONMember("retries", .integer(Int64(report.retries))), JSONMember("digests", .digests(report.computed)),
      JSONMember("verified", .array(report.verified.map { .string($0.rawValue) })),
      JSONMember("caveats", .array(report.caveats.map { .string($0.words) })),
    ]
    members += Self.sources(report.sources)
    if let plan = report.plan { members.append(JSONMember("plan", .string(plan))) }
    return members + Self.ending(error)
  }

  /// The members after a failure.
  func members(_ error: DownloadError, seconds: Double) -> [JSONMember] {
    [
      JSONMember("url", .text(url)), JSONMember("path", .text(path)), JSONMember("outcome", .string("failed")),
      JSONMember("bytes", .integer(bytes)), JSONMember("resumed", .integer(resumed)),
      JSONMember("seconds", .seconds(seconds)), JSONMember("connections", .integer(Int64(connections))),
      JSONMember("retries", .integer(Int64(retries))), JSONMember("digests", .object([])),
      JSONMember("verified", .array([])), JSONMember("caveats", .array([])),
    ] + Self.sources(sources) + Self.ending(error)
  }

  private static func sources(_ all: [SourceReport]) -> [JSONMember] {
    all.isEmpty ? [] : [JSONMember("sources", .array(all.map(JSONValue.source)))]
  }

  /// How the command would end, were this all.
  static func ending(_ error: DownloadError?) -> [JSONMember] {
    [
      JSONMember("exit", .integer(Int64(error?.failure.exitCode ?? 0))),
      JSONMember("error", .text(error?.message)),
    ]
  }
}

extension JSONValue {
  /// What a source has done.
  fileprivate static func source(_ source: SourceReport) -> JSONValue {
    let members = [JSONMember("url", .string(source.url)), JSONMember("bytes", .integer(source.bytes))]
    switch source.state {
    case .used: return .object(members + [JSONMember("state", .string("used"))])
    case .unused: return .object(members + [JSONMember("state", .string("unused"))])
    case .dropped(let why):
      return .object(members + [JSONMember("state", .string("dropped")), JSONMember("reason", .string(why))])
    }
  }

  /// Hexadecimal digits by algorithm.
  static func digests(_ digests: [Digest]) -> JSONValue {
    .object(digests.map { JSONMember($0.algorithm.rawValue, .string($0.hex)) })
  }
}

extension DownloadReport.Outcome {
  fileprivate var word: String {
    switch self {
    case .saved: "saved"
    case .sent: "sent"
    case .alreadyComplete: "already complete"
    case .planned: "planned"
    }
  }
}
