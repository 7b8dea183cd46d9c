import DownloadCore

/// A small file that has come whole and is to be written.
struct SmallFile: Sendable {
  let job: SmallJob
  /// The file's.
  let name: String
  /// Empty once they are written.
  private(set) var bytes: [UInt8]
  /// How many there were.
  let length: Int
  /// What it is compared with before it gets its name.
  let expected: [Digest]
  /// Seconds since 1970; nil: it keeps the time at which it was written.
  let modified: Int64?
  /// From the first request to the last byte.
  let seconds: Double

  init(_ job: SmallJob, name: String, bytes: [UInt8], expected: [Digest], modified: Int64?, seconds: Double) {
    self.job = job
    self.name = name
    self.bytes = bytes
    length = bytes.count
    self.expected = expected
    self.modified = modified
    self.seconds = seconds
  }

  var number: Int { job.number }
  var request: DownloadRequest { job.request }
  var folder: Folder { job.folder }

  /// Nobody needs the bytes any more.
  mutating func dropBytes() { bytes = [] }

  /// The report, where all went well.
  var report: DownloadReport {
    var report = DownloadReport(outcome: .saved, path: folder.shown(name), bytes: Int64(length))
    report.seconds = seconds
    report.connections = 1
    report.computed = expected
    report.verified = expected.map(\.algorithm)
    if request.digestsAreUnauthenticated, !request.digests.isEmpty { report.caveats = [.digestNotAuthenticated] }
    return report
  }
}

/// A file that is tried as a small one.
final class SmallJob: Sendable {
  let number: Int
  let request: DownloadRequest
  /// The request's.
  let likelyName: String
  let folder: Folder
  let claim: NameClaim
  /// When its first request went out.
  let began: Double
  /// Its host, whose connections it needs.
  let host: String

  init(
    number: Int, request: DownloadRequest, likelyName: String, folder: Folder, claim: NameClaim, began: Double,
    host: String
  ) {
    self.number = number
    self.request = request
    self.likelyName = likelyName
    self.folder = folder
    self.claim = claim
    self.began = began
    self.host = host
  }
}
