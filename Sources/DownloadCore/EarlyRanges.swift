/// The ranges that are asked for beside the first GET while nobody has answered yet: on a long path a round trip is worth
/// more than a request.
///
/// Nothing is known of the file's length, so they lie close together at the beginning, where every file has bytes, and
/// ever farther apart: those behind the end are refused (416), and cost nothing but the refusal. Of differing lengths,
/// they do not all end at the same moment.
package enum EarlyRanges {
  /// Never more than these.
  package static let most = 14

  /// The first one's end is where the first GET is to have come to when they are all at work.
  /// `wanted`: what is asked for at all, open where the file's end is not known.
  package static func ranges(
    _ count: Int, minimumSplit: Int64, in wanted: ByteRange = ByteRange(0, unknownEnd)
  ) -> [ByteRange] {
    var ranges: [ByteRange] = []
    var start = wanted.start + length(0, minimumSplit)
    for index in 1..<max(1, min(count, most) + 1) where start < wanted.end {
      let end = min(wanted.end, start + length(index, minimumSplit))
      ranges.append(ByteRange(start, end))
      start = end
    }
    return ranges
  }

  /// In bytes. Of a file of 4 MiB twelve have something, in as much as slow start lets through in five round trips; from
  /// there on each is twice as long, so that longer files need few requests more.
  private static func length(_ index: Int, _ minimumSplit: Int64) -> Int64 {
    let length: Int64 = index < 8 ? 288 << 10 : index < 12 ? 448 << 10 : 1 << (20 + Int64(index - 12))
    return max(length, min(minimumSplit, 1 << 40))
  }

  /// How many are asked for so many seconds after the first GET was begun, and no answer is here.
  package static func count(_ limit: ConnectionLimit, after seconds: Double) -> Int {
    let seconds = seconds - delay
    guard seconds >= 0 else { return 0 }
    // HEAD and the first GET have a connection each.
    switch limit {
    case .fixed(let count): return max(0, min(most, count - 2))
    // The longer the path, the longer each takes to come to speed, and the more of them are wanted.
    case .automatic: return min(most, ConnectionLimit.automaticMost - 2, Int(seconds / step))
    }
  }

  /// The same where so many other sources are to have their share of the connections.
  package static func count(_ limit: ConnectionLimit, besideSources others: Int, after seconds: Double) -> Int {
    let count = count(limit, after: seconds)
    guard others > 0 else { return count }
    let most = AdaptiveLimit(limit).most
    return max(0, min(count, most / (1 + min(others, 5)) - 2))
  }

  /// Seconds from the first GET to the others: it is to be the first that the server sees. Some links are good for one.
  private static let delay = 0.01
  /// Seconds that the path makes `automatic` wait for each range more.
  private static let step = 0.003
}
