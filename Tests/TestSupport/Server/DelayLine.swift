/// One direction of a path: what goes in comes out in order, and no byte before its time.
struct DelayLine {
  private struct Piece {
    let due: ContinuousClock.Instant
    let bytes: [UInt8]
  }

  private var pieces: [Piece] = []
  /// The index of the first piece that is still here, and how many of its bytes are not.
  private var first = 0
  private var taken = 0
  private let room: Int

  /// The bytes that are under way.
  private(set) var count = 0

  /// A line that is full with `room` bytes; the last piece may go beyond.
  init(room: Int) {
    self.room = room
  }

  /// Whether another piece may go in.
  var hasRoom: Bool {
    count < room
  }

  /// When the next bytes come out; nil if there are none.
  var due: ContinuousClock.Instant? {
    first < pieces.count ? pieces[first].due : nil
  }

  /// Puts bytes in that come out at `due`, or with those before them if that is later.
  mutating func append(_ bytes: [UInt8], due: ContinuousClock.Instant) {
    guard !bytes.isEmpty else { return }
    pieces.append(Piece(due: max(due, pieces.last?.due ?? due), bytes: bytes))
    count += bytes.count
  }

  /// The next bytes, if it is time for them.
  func next(at now: ContinuousClock.Instant) -> ArraySlice<UInt8>? {
    guard let due, due <= now else { return nil }
    return pieces[first].bytes[taken...]
  }

  /// Takes the first `count` bytes of `next` out.
  mutating func remove(_ count: Int) {
    self.count -= count
    taken += count
    guard taken == pieces[first].bytes.count else { return }
    taken = 0
    first += 1
    // Moving what is left costs less than the bytes did.
    guard first == pieces.count || first > 64 else { return }
    pieces.removeFirst(first)
    first = 0
  }

  /// Throws away what is under way.
  mutating func removeAll() {
    self = DelayLine(room: room)
  }
}
