import DownloadCore

/// What `--verbose` shows of requests and answers: redacted and sanitised.
enum TraceText {
  static func request(_ request: TransferRequest) -> String {
    let method = request.method == .head ? "HEAD" : "GET"
    let range = request.rangeText.map { " bytes=\($0)" } ?? ""
    let condition = request.ifRange.map { " if-range \(Sanitiser.line($0))" } ?? ""
    return "> \(method) \(request.url.redacted)\(range)\(condition)"
  }

  /// The status and the fields that decide something.
  static func head(_ head: ResponseHead) -> String {
    let shown: Set = [
      "content-length", "content-range", "accept-ranges", "etag", "last-modified", "location", "retry-after",
      "content-disposition", "content-encoding", "transfer-encoding",
    ]
    let fields = head.fields.filter { shown.contains($0.name.lowercased()) }.map(Redactor.header)
    return (["< \(head.status.rawValue) \(Sanitiser.line(head.reason))"] + fields).joined(separator: "; ")
  }
}
