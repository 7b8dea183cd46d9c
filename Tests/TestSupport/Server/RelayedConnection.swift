internal import Glibc

/// A client's connection and the one to the server behind the relay.
struct RelayedConnection {
  private var up: RelayLane
  private var down: RelayLane
  private let fate: TCPRelay.Fate
  private var hasShutServer = false

  init(client: Socket, server: Socket, fate: TCPRelay.Fate, total: TotalRate?) {
    for socket in [client, server] { socket.sendAtOnce() }
    let now = ContinuousClock.now
    // The kernel has accepted already: the round trip of the handshake is made up for before the first bytes.
    var path = RelayLane.Path(delay: fate.delay, opening: now + fate.delay * 2)
    up = RelayLane(from: client, to: server, path, now: now)
    path.rate = fate.rate
    path.total = total
    path.limit = fate.limit ?? .max
    if fate.swallowsCloseNotify { path.filter = CloseNotifyFilter() }
    down = RelayLane(from: server, to: client, path, now: now)
    self.fate = fate
  }

  /// Passes bytes both ways until the server or the fate ends it, or the client is gone; then says how to end it.
  mutating func run() -> Reply.Ending {
    while true {
      var now = ContinuousClock.now
      if !up.deliver(now) { up.cut(now) }
      guard down.deliver(now) else { return .close }
      if down.hasEnded(now) { return fate.ending }
      if up.hasEnded(now) && !hasShutServer { shutServer() }
      let ready = wait(now)
      now = .now
      if ready.client && up.wantsBytes(now) { up.receive(now) }
      if ready.server && down.wantsBytes(now) { down.receive(now) }
    }
  }

  private mutating func shutServer() {
    hasShutServer = true
    shutdown(up.sink.descriptor, Int32(SHUT_WR))
  }

  /// Waits for bytes, for room or for the time of the next piece; says which sockets have something.
  private mutating func wait(_ now: ContinuousClock.Instant) -> (client: Bool, server: Bool) {
    var entries = [Self.entry(in: up, out: down, now), Self.entry(in: down, out: up, now)]
    var times = [up.nextTime(now), down.nextTime(now)]
    if hasShutServer { times[0] = nil }
    let time = times.compactMap(\.self).min()
    guard poll(&entries, 2, time.map { Self.milliseconds(until: $0, now) } ?? -1) > 0 else { return (false, false) }
    if entries[0].revents & ~Int16(POLLIN) != 0 { down.isBlocked = false }
    if entries[1].revents & ~Int16(POLLIN) != 0 { up.isBlocked = false }
    return (entries[0].revents != 0, entries[1].revents != 0)
  }

  /// What is of interest of a socket that is the source of one lane and the sink of the other. Of one with nothing of
  /// interest also its end is none now: it would be told again and again.
  private static func entry(in lane: RelayLane, out other: RelayLane, _ now: ContinuousClock.Instant) -> pollfd {
    let events = (lane.wantsBytes(now) ? Int16(POLLIN) : 0) | (other.isBlocked ? Int16(POLLOUT) : 0)
    return pollfd(fd: events == 0 ? -1 : lane.source.descriptor, events: events, revents: 0)
  }

  /// Rounded up: nothing is early.
  private static func milliseconds(until time: ContinuousClock.Instant, _ now: ContinuousClock.Instant) -> Int32 {
    let left = max(.zero, time - now).components
    return Int32(clamping: left.seconds * 1000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
