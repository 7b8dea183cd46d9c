internal import Glibc

/// A pipe through which nothing is ever sent but its end: something that a thread can wait for with a limit.
final class Pipe: Sendable {
  private let reader: Int32
  private let writer: Int32

  /// Where the process has no descriptors left, waiting just takes its time.
  init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reader = ends[0]
    writer = ends[1]
  }

  deinit {
    if reader >= 0 { close(reader) }
  }

  /// To be called once.
  func hangUp() {
    if writer >= 0 { close(writer) }
  }

  /// Whether the other side has hung up, after at most so many milliseconds; -1 waits for ever.
  @discardableResult
  func waitForHangUp(milliseconds: Int32) -> Bool {
    guard reader >= 0 else {
      poll(nil, 0, max(0, min(milliseconds, 100)))
      return true
    }
    var entry = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&entry, 1, milliseconds)
      if count < 0, errno == EINTR { continue }
      return count > 0
    }
  }
}
