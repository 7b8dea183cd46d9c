internal import Cprocess
internal import Glibc

/// A connected stream socket; whoever makes it closes it.
struct Socket {
  let descriptor: Int32

  /// Small pieces go out at once (TCP_NODELAY).
  func sendAtOnce() {
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Neither side has closed it: tcp_info begins with the state, of which 1 is that (tcp(7), linux/tcp.h).
  var isEstablished: Bool {
    var state: UInt8 = 0
    var length = socklen_t(1)
    return getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &state, &length) == 0 && state == 1
  }

  /// Sends every byte, or says that the connection is gone. Never raises SIGPIPE.
  func send(_ bytes: UnsafeRawBufferPointer, more: Bool = false) -> Bool {
    let flags = Int32(MSG_NOSIGNAL) | (more ? Int32(MSG_MORE) : 0)
    var rest = bytes
    while !rest.isEmpty {
      let sent = Glibc.send(descriptor, rest.baseAddress, rest.count, flags)
      if sent > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[sent...])
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  /// Sends `count` bytes of a file from `offset`, or says that the connection or the bytes are gone.
  func sendFile(_ file: Int32, offset: Int64, count: Int) -> Bool {
    var position = off_t(offset)
    let end = offset + Int64(count)
    while Int64(position) < end {
      let sent = sendfile(descriptor, file, &position, Int(end - Int64(position)))
      if sent == 0 || (sent < 0 && errno != EINTR) { return false }
    }
    return true
  }

  /// Receives up to the room in `buffer`; 0 at the end, nil if the connection is gone.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count >= 0 { return count }
      if errno != EINTR { return nil }
    }
  }

  /// Sleeps until `instant`, or less if the connection breaks, and says whether it has not.
  func sleep(until instant: ContinuousClock.Instant) -> Bool {
    while true {
      let left = instant - .now
      guard left > .zero else { return true }
      let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
      if wait(for: 0, milliseconds: Int32(clamping: milliseconds + 1)) { return false }
    }
  }

  /// Waits until the other side has closed the connection, or this side has shut it down.
  func waitForEnd() {
    _ = wait(for: Int16(SWOOP_POLLRDHUP), milliseconds: -1)
  }

  /// Closes in good order: what was sent is delivered, then the end.
  func closeInOrder() {
    shutdown(descriptor, Int32(SHUT_WR))
    // Bytes that nobody read would turn the close into a reset.
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      while recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
    }
    close(descriptor)
  }

  /// Resets the connection once the other side has acknowledged every byte, or has not for two seconds.
  func reset() {
    let deadline = ContinuousClock.now + .seconds(2)
    var unsent: Int32 = 1
    while ContinuousClock.now < deadline {
      // SIOCOUTQ, tcp(7): the bytes not yet acknowledged.
      guard ioctl(descriptor, UInt(TIOCOUTQ), &unsent) == 0, unsent > 0 else { break }
      guard sleep(until: .now + .milliseconds(1)) else { break }
    }
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
  }

  /// Waits for an event or for the connection to break, and says whether either came.
  private func wait(for events: Int16, milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    while true {
      let ready = poll(&entry, 1, milliseconds)
      if ready >= 0 { return ready > 0 }
      if errno != EINTR { return true }
    }
  }
}
