/// What a scheduler knows of one source of the file: the server that the URL names, or a mirror of it. Nothing of it
/// holds for another source.
struct SourceState: Hashable, Sendable {
  /// Whether it is asked for ranges.
  enum Standing: Hashable, Sendable {
    /// Not yet; since then its bytes are compared with what is here.
    case awaited(since: Double)
    case open
    case dropped
  }

  var standing: Standing
  /// The places for its connections.
  let slots: Range<RangeScheduler.Slot>
  var limit: AdaptiveLimit
  /// What requests and connections have cost so far.
  var times = RequestTimes()
  /// No new request before this time: a Retry-After, or a back-off that holds for all of its connections.
  var quietUntil = -Double.infinity
  /// Failures in a row of all its connections together; requests that were under way at the last one count with it.
  var streak = 0
  var streakBegan = -Double.infinity
  /// Bytes that came, over all its connections.
  var total: Int64 = 0
  /// What others are to bring.
  var barred = ByteRangeSet()
  /// Since when it is compared, where it is open and what comes from it counts only once it is seen to have the file: when
  /// that will be, nobody knows.
  var unprovedSince: Double?

  /// For so many seconds after it was begun with, room is kept for all the connections that it is to have.
  private static let welcome = 3.0

  init(_ standing: Standing, slots: Range<RangeScheduler.Slot>, limit: ConnectionLimit) {
    self.standing = standing
    self.slots = slots
    self.limit = AdaptiveLimit(limit)
  }

  var isOpen: Bool { standing == .open }
  var isDropped: Bool { standing == .dropped }

  var isUnproved: Bool { unprovedSince != nil }

  /// The connections that others leave to it, of its share of them all.
  func claim(on share: Int, at now: Double) -> Int {
    switch standing {
    case .open:
      guard quietUntil <= now else { return 0 }
      return unprovedSince.map { claim(on: share, comparedSince: $0, at: now) } ?? min(limit.current, share)
    case .awaited(let since): return claim(on: share, comparedSince: since, at: now)
    case .dropped: return 0
    }
  }

  /// After a while one connection compares.
  private func claim(on share: Int, comparedSince since: Double, at now: Double) -> Int {
    now - since < Self.welcome ? min(limit.current, share) : 1
  }
}
