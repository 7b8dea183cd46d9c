/// How far ahead of a reader, who takes the file from its front, bytes are fetched.
package struct Horizon: Hashable, Sendable {
  /// In bytes; at least 1.
  package let window: Int64
  /// So much beyond the window, in bytes, may be asked for: it waits with the server, and on its way, until the reader
  /// comes nearer.
  let ahead: Int64
  /// The window's end.
  private(set) var end: Int64
  /// So much is here for the reader that it is the reader who is waited for, and no server.
  package fileprivate(set) var isReaderBehind = false

  /// Of a reader who has nothing yet of what begins at `start`. `canWait`: what has been asked for can be held back.
  init(window: ByteCount, from start: Int64, canWait: Bool) {
    self.window = max(1, window.bytes)
    ahead = canWait ? self.window / 4 : 0
    end = start.addingClamped(self.window)
  }

  /// Whether answers can be held back, and read on behind what is wanted of them.
  var canWait: Bool { ahead > 0 }

  /// Nothing from here on is asked for yet.
  package var offset: Int64 { isReaderBehind ? end : farthest }

  /// Nothing from here on is ever under way.
  fileprivate var farthest: Int64 { end.addingClamped(ahead) }

  /// The reader has all up to `passed`, and all up to `prefix` is here for it.
  fileprivate mutating func readerPassed(_ passed: Int64, of prefix: Int64) {
    end = max(end, passed.addingClamped(window))
    isReaderBehind = prefix - passed >= window / 2
  }
}

/// A reader takes the file from its front: what lies farther ahead of it than a window is not asked for, so that what is
/// kept for it has bounds.
extension RangeScheduler {
  /// Nothing that is much longer ahead of the reader than this is asked for from now on, and where `canWait` is false,
  /// nothing that is longer. The reader begins at `start`.
  package mutating func keep(within window: ByteCount, from start: Int64 = 0, canWait: Bool = true) {
    horizon = Horizon(window: window, from: start, canWait: canWait)
  }

  /// The reader has all up to `passed`, and all up to `prefix` is here for it.
  package mutating func readerPassed(_ passed: Int64, of prefix: Int64) {
    guard var moved = horizon else { return }
    let before = moved
    moved.readerPassed(passed, of: prefix)
    horizon = moved
    guard let start = missing.first?.start else { return }
    if start < moved.offset, moved.offset - start >= leastPiece, before.offset - start < leastPiece { hasNews = true }
  }

  /// Nothing is under way, or no more than is, only because the reader takes its time.
  package var waitsForReader: Bool {
    guard let horizon, horizon.isReaderBehind, let gap = missing.first else { return false }
    return reachable(gap) == nil
  }

  /// What of a gap may be asked for now; nil: nothing. One connection alone gets all of it, and is held back where it
  /// goes beyond the horizon: each request would cost a round trip.
  func reachable(_ gap: ByteRange) -> ByteRange? {
    guard let horizon, !isStream else { return gap }
    if connectionLimit == 1, active.count <= 1 { return gap.start < horizon.offset ? gap : nil }
    let offset = mayGoAhead(of: horizon) ? horizon.offset : horizon.end
    guard gap.start < offset else { return nil }
    let end = min(gap.end, offset)
    return end == gap.end || end - gap.start >= leastPiece ? ByteRange(gap.start, end) : nil
  }

  /// Fewer than half of the connections may come to wait for the window: the others are there for what the reader waits
  /// for.
  private func mayGoAhead(of horizon: Horizon) -> Bool {
    active.values.count { $0.end > horizon.end } < (connectionLimit - 1) / 2
  }

  /// Shorter pieces than this are not asked for only because of the horizon, however many connections there may be: a
  /// part of what a connection gets where it could have more, all of that where it is the reader who gives the pace.
  var leastPiece: Int64 {
    guard let horizon else { return 1 }
    let usual = mostWithinHorizon(rate: nil) / (horizon.isReaderBehind ? 1 : 4)
    return max(1, min(horizon.window / 4, max(minimumSplit, usual)))
  }

  /// The most that a connection gets at once: most of the window is given out, each connection's part by its rate, so that
  /// all are ready at the same time, and the rest is there for those who are ready earlier. Not much more than its even
  /// part: a rate that is seen for a moment may be what had gathered behind a loss.
  func mostWithinHorizon(rate: Double?) -> Int64 {
    guard let horizon else { return .max }
    let most = Double(horizon.window) * Self.givenOut
    guard let rate else { return max(1, Int64(most / Double(max(1, connectionLimit)))) }
    let all = active.values.reduce(rate) { $0 + ($1.rate ?? rate) }
    let even = mostWithinHorizon(rate: nil)
    return max(even / 4, min(all > 0 ? Int64(most * rate / all) : 1, even.addingClamped(even / 2)))
  }

  /// What of the window the connections have at a time.
  private static var givenOut: Double { 0.75 }

  /// Cuts off what lies beyond the horizon where there are other connections to fetch what is before it: one that is held
  /// back there would wait for bytes that nobody is left to ask for.
  mutating func keepWithinHorizon() -> [Action] {
    guard let horizon, !isStream else { return [] }
    var actions: [Action] = []
    for slot in activeSlots {
      guard let range = active[slot], range.end > horizon.farthest else { continue }
      let isAlone = connectionLimit == 1 && active.count == 1 && (missing.first?.start ?? .max) >= range.position
      guard !isAlone else { continue }
      let end = max(horizon.farthest, range.position)
      guard end < range.end else { continue }
      missing.insert(ByteRange(end, range.end))
      move(endOf: slot, to: end)
      actions.append(.shorten(slot, end: end))
    }
    return actions
  }
}
