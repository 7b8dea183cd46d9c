internal import DownloadCore

extension DownloadReport {
  /// What goes to standard output: the plan of a dry run, or that there is nothing to do. Nil where there is no result
  /// but the file.
  func result(ofDryRun isDryRun: Bool) -> String? {
    guard isDryRun else { return nil }
    return (outcome == .planned ? plan : summary).map { $0.printable + "\n" }
  }

  /// The last line of a successful run, without the command's name; nil where nothing was to be done but to tell the
  /// plan.
  var summary: String? {
    switch outcome {
    case .saved: "saved \(path) (\(ByteCount(bytes)) \(details)), \(assurance)"
    case .sent(let sink): "sent \(ByteCount(bytes)) to \(sink.shown) (\(details)), \(assurance)"
    case .alreadyComplete: "\(path) is already complete (\(ByteCount(bytes))), \(assurance)"
    case .planned: nil
    }
  }

  /// `in 1m 12s, 77 MiB/s, 8 connections`.
  private var details: String {
    let fetched = bytes - resumed
    var fields = ["in \(DurationText.exact(seconds))"]
    // Of less time than this, a speed would say nothing.
    if fetched > 0, seconds >= 0.01 { fields.append("\(ByteCount(bytesPerSecond: Double(fetched) / seconds))/s") }
    if let connectionCount { fields.append(connectionCount) }
    let busy = sources.count { $0.bytes > 0 }
    if busy > 1 { fields.append("from \(busy) sources") }
    if resumed > 0 { fields.append("resumed from \(ByteCount(resumed))") }
    return fields.joined(separator: ", ")
  }

  private var connectionCount: String? {
    switch connections {
    case ...0: nil
    case 1: "1 connection"
    default: "\(connections) connections"
    }
  }

  /// What proves the file, and what does not.
  private var assurance: String {
    let names = verified.map(\.rawValue).joined(separator: " and ")
    let proof = names.isEmpty ? "not verified" : "\(names) verified"
    return ([proof] + caveats.map(\.words)).joined(separator: ", ")
  }
}

extension DownloadReport.Caveat {
  var words: String {
    switch self {
    case .lengthUnverified: "length unverified"
    case .identityUnverified: "identity unverified"
    case .digestNotAuthenticated: "digest not authenticated"
    }
  }
}
