/// What is to be fetched, and how: decided from what the server says, what is here already, and what was asked for.
package struct Plan: Hashable, Sendable {
  /// What is wanted of the file, to `unknownEnd` where its length is not known.
  package let whole: ByteRange
  /// What is not here yet.
  package let missing: ByteRangeSet
  /// The whole file comes as one body, from 0: its length is not known, or the server gives no ranges.
  package let isStream: Bool
  private let connections: ConnectionLimit
  private let minimumSplit: ByteCount
  /// In seconds.
  private let stallTime: Double
  /// A digest follows the file from the front.
  private let inOrder: Bool
  /// The most that is fetched ahead of a reader; nil where there is none.
  private let window: ByteCount?
  /// What was asked for can be held back: files of this machine are read at once.
  private let canWait: Bool
  /// What comes is limited by us, and not by the path.
  private let isRateLimited: Bool

  /// `present`: what is here already. `wanted`: the part of the file that is wanted; nil: all of it. `asStream`: take no ranges although the server offers them. `inOrder`: a digest
  /// follows the file from the front, also where the request names none.
  package init(
    _ resource: Resource, present: ByteRangeSet, wanted: ByteRange? = nil, asStream: Bool = false,
    inOrder: Bool = false, for request: DownloadRequest
  ) {
    whole = wanted ?? ByteRange(0, resource.length ?? unknownEnd)
    missing = present.gaps(in: whole)
    isStream = asStream || !resource.canBeSplit
    connections = request.connections
    minimumSplit = request.minimumSplit
    stallTime = request.timeouts.stall
    isRateLimited = request.rateLimit != nil
    self.inOrder = inOrder || !request.digests.isEmpty || request.target.sink != nil
    canWait = resource.url.isWeb
    window = request.target.sink == nil ? nil : request.window
  }

  /// What carries the plan out. `latency`: seconds from an earlier request to its answer, where there was one.
  package func scheduler(latency: Double? = nil) -> RangeScheduler {
    guard !isStream else { return RangeScheduler(stream: ByteRange(0, whole.end), stallTime: stallTime) }
    var scheduler = RangeScheduler(
      missing: missing, limit: connections, minimumSplit: minimumSplit.bytes, stallTime: stallTime, latency: latency,
      inOrder: inOrder, heedsLatency: !isRateLimited)
    if let window { scheduler.keep(within: window, from: whole.start, canWait: canWait) }
    return scheduler
  }

  /// The ranges that are asked for first, one for each connection that is opened at once.
  package var firstRanges: [ByteRange] {
    var scheduler = scheduler()
    return scheduler.next(at: 0).compactMap { action in
      if case .start(_, let range) = action { range } else { nil }
    }
  }

  /// What would be done, in one line. `mirrors`: further sources that may be asked.
  package func summary(from url: RemoteURL, mirrors: Int = 0, to path: String) -> String {
    let others = mirrors == 0 ? "" : mirrors == 1 ? " and a mirror" : " and \(mirrors) mirrors"
    let way = mostConnections == 1 ? "over one connection" : "over up to \(mostConnections) connections"
    guard whole.end != unknownEnd else {
      return "would fetch a file of unknown length from \(url.redacted)\(others) to \(path) \(way)"
    }
    let left = missing.count
    guard left > 0 || whole.isEmpty else { return "would finish \(path), all of which is here" }
    let part = left == whole.count ? "" : " of \(ByteCount(whole.count)), the rest is here,"
    return "would fetch \(ByteCount(left)) (\(left) bytes)\(part) from \(url.redacted)\(others) to \(path) \(way)"
  }

  /// No more connections than this can have something to do.
  package var mostConnections: Int {
    guard !isStream else { return 1 }
    let pieces = missing.ranges.reduce(Int64(0)) { $0 + max(1, $1.count / minimumSplit.bytes) }
    return Int(min(Int64(AdaptiveLimit(connections).most), max(1, pieces)))
  }
}
