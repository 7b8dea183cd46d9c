/// How far ahead of a reader, who takes the file from its front, bytes are fetched.
package struct Horizon: Hashable, Sendable {
  /// In bytes; at least 1.
  package let window: Int64
  /// Nothing from here on is asked for yet.
  package fileprivate(set) var offset: Int64
  /// So much is here for the reader that it is the reader who is waited for, and no server.
  package fileprivate(set) var isReaderBehind = false

  /// Of a reader who has nothing yet of what begins at `start`.
  init(window: ByteCount, from start: Int64) {
    self.window = max(1, window.bytes)
    offset = start.addingClamped(self.window)
  }
}

/// A reader takes the file from its front: what lies farther ahead of it than a window is not asked for, so that what is
/// kept for it has bounds.
extension RangeScheduler {
  /// Nothing that is longer ahead of the reader than this is asked for from now on.
  /// The reader begins at `start`.
  package mutating func keep(within window: ByteCount, from start: Int64 = 0) {
    horizon = Horizon(window: window, from: start)
  }

  /// The reader has all up to `passed`, and all up to `prefix` is here for it.
  package mutating func readerPassed(_ passed: Int64, of prefix: Int64) {
    guard var moved = horizon else { return }
    let before = moved
    moved.offset = max(before.offset, passed.addingClamped(before.window))
    moved.isReaderBehind = prefix - passed >= before.window / 2
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
    guard gap.start < horizon.offset else { return nil }
    if connectionLimit == 1, active.count <= 1 { return gap }
    let end = min(gap.end, horizon.offset)
    return end == gap.end || end - gap.start >= leastPiece ? ByteRange(gap.start, end) : nil
  }

  /// Shorter pieces than this are not asked for only because of the horizon, however many connections there may be: a part of what a connection gets where
  /// it could have more, all of that where it is the reader who gives the pace.
  var leastPiece: Int64 {
    guard let horizon else { return 1 }
    let usual = mostWithinHorizon(rate: nil) / (horizon.isReaderBehind ? 1 : 4)
    return max(1, min(horizon.window / 4, max(minimumSplit, usual)))
  }

  /// The most that a connection gets at once: most of the window is given out, each connection's part by its rate, so that
  /// all are ready at the same time, and the rest is there for those who are ready earlier.
  func mostWithinHorizon(rate: Double?) -> Int64 {
    guard let horizon else { return .max }
    let most = Double(horizon.window) * Self.givenOut
    guard let rate else { return max(1, Int64(most / Double(max(1, connectionLimit)))) }
    let all = active.values.reduce(rate) { $0 + ($1.rate ?? rate) }
    return max(mostWithinHorizon(rate: nil) / 4, all > 0 ? Int64(most * rate / all) : 1)
  }

  /// What of the window the connections have at a time.
  private static var givenOut: Double { 0.75 }

  /// Cuts off what lies beyond the horizon where there are other connections to fetch what is before it: one that is held
  /// back there would wait for bytes that nobody is left to ask for.
  mutating func keepWithinHorizon() -> [Action] {
    guard let horizon, !isStream else { return [] }
    var actions: [Action] = []
    for slot in activeSlots {
      guard let range = active[slot], range.end > horizon.offset else { continue }
      let isAlone = connectionLimit == 1 && active.count == 1 && (missing.first?.start ?? .max) >= range.position
      guard !isAlone else { continue }
      let end = max(horizon.offset, range.position)
      guard end < range.end else { continue }
      missing.insert(ByteRange(end, range.end))
      move(endOf: slot, to: end)
      actions.append(.shorten(slot, end: end))
    }
    return actions
  }

  /// Those that an idle connection may take from, with the seconds until each will be ready, the best choice first: who
  /// will be ready last. Where it is the horizon that keeps it idle, the reader waits for the front; but whoever is taken
  /// from loses its connection, whose price only a front that takes long is worth.
  func inOrderOfNeed(_ victims: [(slot: Slot, seconds: Double)]) -> [(slot: Slot, seconds: Double)] {
    guard let horizon, !missing.isEmpty else { return victims }
    guard !horizon.isReaderBehind else { return [] }
    let dear = victims.filter { $0.seconds > Self.connectionsPrice * newRequestTime(at: slots[$0.slot].source) }
    return dear.sorted { active[$0.slot]!.position < active[$1.slot]!.position }
  }

  /// In times of a new request.
  private static var connectionsPrice: Double { 4 }
}
