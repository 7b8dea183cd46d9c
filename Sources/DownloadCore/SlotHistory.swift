/// What is known of a slot's earlier requests.
struct SlotHistory: Hashable, Sendable {
  /// Whose connection it is.
  var source: RangeScheduler.Source = 0
  /// Bytes a second of its last range.
  var rate: Double?
  /// In a row, without a connection that worked between them.
  var failures = 0
  /// How often its connection was replaced because it dragged.
  var drags = 0
  /// No request before this time.
  var notBefore = -Double.infinity
  /// Its last range ended well, so that its connection is likely to be open still.
  var isWarm = false
  /// It still grew when its first range ended: what it can do was not seen.
  var wasGrowing = false
  var hasFinished = false
  /// While it waits nobody else takes its place: the fault is likely to hit any new connection.
  var keepsPlace = false
  /// Its connection compares: no range goes over it now.
  var isReserved = false
}
