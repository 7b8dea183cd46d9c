import DownloadCore

/// What `--verbose` shows of requests and answers: redacted and sanitised.
///
/// Each line begins with the seconds since the start and the connection's place: `#0` is the first GET's, `#-` HEAD's.
enum TraceText {
  static func place(_ slot: RangeScheduler.Slot) -> String { "#\(slot < 0 ? "-" : "\(slot)")" }

  static func time(after seconds: Double) -> String {
    let milliseconds = Int((seconds * 1000).rounded())
    let rest = "\(milliseconds % 1000)"
    let zeros = String(repeating: "0", count: 3 - rest.count)
    return "\(milliseconds / 1000).\(zeros)\(rest)"
  }

  /// What is missing, where that is to be said and known, and over how many connections at once it may be fetched.
  static func limit(_ count: Int, missing: ByteRangeSet?) -> String {
    let connections = count == 1 ? "1 connection" : "\(count) connections"
    guard let missing else { return "+ up to \(connections)" }
    let ranges = missing.ranges.count == 1 ? "1 range" : "\(missing.ranges.count) ranges"
    return "+ \(missing.count) bytes missing in \(ranges), up to \(connections)"
  }

  static func request(_ request: TransferRequest) -> String {
    let method = request.method == .head ? "HEAD" : "GET"
    let range = request.rangeText.map { " bytes=\($0)" } ?? ""
    let condition = request.ifRange.map { " if-range \(Sanitiser.line($0))" } ?? ""
    return "> \(method) \(request.url.redacted)\(range)\(condition)"
  }

  /// Where a transfer has come to when it ended.
  static func end(_ transfer: Transfer, _ reason: RangeScheduler.StopReason? = nil) -> String {
    let why =
      switch reason {
      case .stalled: ", stalled"
      case .overtaken: ", another is faster"
      case nil: ""
      }
    return "= \(transfer.written) bytes, up to \(transfer.position)\(why)"
  }

  /// The range that is asked for was cut, or goes on.
  static func bound(_ end: Int64) -> String { "| ends at \(end) now" }

  /// The status and the fields that decide something.
  static func head(_ head: ResponseHead) -> String {
    let shown: Set = AnnouncedDigests.fields.union([
      "content-length", "content-range", "accept-ranges", "etag", "last-modified", "location", "retry-after",
      "content-disposition", "content-encoding", "transfer-encoding",
    ])
    let fields = head.fields.filter { shown.contains($0.name.lowercased()) }.map(Redactor.header)
    return (["< \(head.status.rawValue) \(Sanitiser.line(head.reason))"] + fields).joined(separator: "; ")
  }
}
