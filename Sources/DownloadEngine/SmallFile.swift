import DownloadCore

/// A small file that has come whole and is to be written.
struct SmallFile: Sendable {
  let number: Int
  let request: DownloadRequest
  let claim: NameClaim
  let folder: Folder
  /// The file's.
  let name: String
  let bytes: [UInt8]
  /// What it is compared with before it gets its name.
  let expected: [Digest]
  /// Seconds since 1970; nil: it keeps the time at which it was written.
  let modified: Int64?
  /// From the first request to the last byte, in seconds.
  let seconds: Double

  /// The report, where all went well.
  var report: DownloadReport {
    var report = DownloadReport(outcome: .saved, path: folder.shown(name), bytes: Int64(bytes.count))
    report.seconds = seconds
    report.connections = 1
    report.computed = expected
    report.verified = expected.map(\.algorithm)
    if request.digestsAreUnauthenticated, !request.digests.isEmpty { report.caveats = [.digestNotAuthenticated] }
    return report
  }
}
