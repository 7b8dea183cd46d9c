internal import Glibc

/// One direction of a relayed connection: receives from `source` no faster than its rates, keeps the bytes for the
/// delay, and sends them to `sink`.
struct RelayLane {
  /// How the bytes travel.
  struct Path: Sendable {
    /// One way.
    var delay = Duration.zero
    /// Bytes in a second.
    var rate: Double?
    /// What all connections share.
    var total: TotalRate?
    /// Bytes until the path ends by itself.
    var limit = Int64.max
    /// Takes something out of what passes.
    var filter: CloseNotifyFilter?
    /// Nothing sets out before.
    var opening: ContinuousClock.Instant
  }

  let source: Socket
  let sink: Socket
  private var path: Path
  private let pieceLength: Int
  private var pacer: Pacer?
  private var line: DelayLine
  private var left: Int64
  private var mayReceive: ContinuousClock.Instant
  private var end: ContinuousClock.Instant?

  /// Whether the sink takes no more for now.
  var isBlocked = false

  init(from source: Socket, to sink: Socket, _ path: Path, now: ContinuousClock.Instant) {
    self.source = source
    self.sink = sink
    self.path = path
    pacer = path.rate.map { Pacer(bytesPerSecond: $0, now: now) }
    let rate = min(path.rate ?? .infinity, path.total?.bytesPerSecond ?? .infinity)
    pieceLength = rate.isFinite ? Pacer(bytesPerSecond: rate, now: now).pieceLength : 64 << 10
    line = DelayLine(room: Self.room(rate: rate, delay: path.delay))
    left = path.limit
    mayReceive = now
    if left <= 0 { end = now }
  }

  /// Bandwidth times delay, so that the line never slows the rate; a window of 16 MiB where there is no rate.
  private static func room(rate: Double, delay: Duration) -> Int {
    guard delay > .zero else { return 1 }
    let most = Double(16 << 20)
    return Int(min(most, rate * (delay / .seconds(1)))) + (128 << 10)
  }

  /// Whether the end has come out at the other side.
  func hasEnded(_ now: ContinuousClock.Instant) -> Bool {
    line.count == 0 && end.map { $0 <= now } == true
  }

  /// Whether bytes of the source would be taken.
  func wantsBytes(_ now: ContinuousClock.Instant) -> Bool {
    end == nil && line.hasRoom && mayReceive <= now
  }

  /// When there is something to do without anything coming; nil for never.
  func nextTime(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    let out = isBlocked ? nil : line.due ?? end
    let into = end == nil && line.hasRoom && mayReceive > now ? mayReceive : nil
    return [out, into].compactMap(\.self).min()
  }

  /// Takes one piece of what the source has; its end, or its reset, is the line's.
  mutating func receive(_ now: ContinuousClock.Instant) {
    let room = Int(min(left, Int64(pieceLength)))
    let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      count = max(-1, recv(source.descriptor, buffer.baseAddress, room, Int32(MSG_DONTWAIT)))
      if count < 0 && (errno == EAGAIN || errno == EINTR) { return count = 0 }
      if count <= 0 { end = max(now, path.opening) + path.delay }
      count = max(0, count)
    }
    guard !piece.isEmpty else { return }
    let departure = departure(of: piece.count, now)
    mayReceive = departure
    line.append(path.filter?.pass(piece) ?? piece, due: departure + path.delay)
    left -= Int64(piece.count)
    if left == 0 { end = departure + path.delay }
  }

  private mutating func departure(of count: Int, _ now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    let own = pacer?.take(count, now: now) ?? now
    let shared = path.total?.take(count, now: now) ?? now
    return max(now, path.opening, own, shared)
  }

  /// Sends what is due, and says whether the sink is still there.
  mutating func deliver(_ now: ContinuousClock.Instant) -> Bool {
    while !isBlocked, let bytes = line.next(at: now) {
      let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
      let sent = bytes.withUnsafeBytes { send(sink.descriptor, $0.baseAddress, $0.count, flags) }
      if sent > 0 {
        line.remove(sent)
      } else if errno == EAGAIN {
        isBlocked = true
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  /// Nothing more goes through.
  mutating func cut(_ now: ContinuousClock.Instant) {
    line.removeAll()
    end = now
  }
}

/// A token bucket that the connections of a relay share.
final class TotalRate: Sendable {
  let bytesPerSecond: Double
  private let pacer: Monitor<Pacer>

  init(bytesPerSecond: Double) {
    self.bytesPerSecond = bytesPerSecond
    pacer = Monitor(Pacer(bytesPerSecond: bytesPerSecond, now: .now))
  }

  func take(_ count: Int, now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    pacer.change { $0.take(count, now: now) }
  }
}
