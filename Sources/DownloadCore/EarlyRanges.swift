/// The ranges that are asked for beside the first GET while nobody has answered yet: on a long path a round trip is worth
/// more than a request.
///
/// Nothing is known of the file's length, so they lie close together at the beginning, where every file has bytes, and
/// ever farther apart: those behind the end are refused (416), and cost nothing but the refusal. Of differing lengths,
/// they do not all end at the same moment.
package enum EarlyRanges {
  /// Never more than these.
  package static let most = 15
  private static let shortest: Int64 = 512 << 10

  /// The first one's end is where the first GET is to have come to when they are all at work.
  package static func ranges(_ count: Int, minimumSplit: Int64) -> [ByteRange] {
    var ranges: [ByteRange] = []
    var start = length(0, minimumSplit)
    for index in 1..<max(1, min(count, most) + 1) {
      let end = start + length(index, minimumSplit)
      ranges.append(ByteRange(start, end))
      start = end
    }
    return ranges
  }

  /// Doubles with every fourth.
  private static func length(_ index: Int, _ minimumSplit: Int64) -> Int64 {
    max(shortest << Int64(index / 4), min(minimumSplit, 1 << 40))
  }

  /// How many are asked for so many seconds after the first GET was begun, and no answer is here.
  package static func count(_ limit: ConnectionLimit, after seconds: Double) -> Int {
    let seconds = seconds - delay
    guard seconds >= 0 else { return 0 }
    switch limit {
    case .fixed(let count): return max(0, min(most, count - 1))
    // The longer the path, the longer each takes to come to speed, and the more of them are wanted.
    case .automatic: return min(most, Int(seconds / step))
    }
  }

  /// Seconds from the first GET to the others: it is to be the first that the server sees. Some links are good for one.
  private static let delay = 0.02
  private static let step = 0.006
}
