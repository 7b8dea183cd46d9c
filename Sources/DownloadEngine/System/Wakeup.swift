import Clinux
import Glibc

/// Lets a thread wake another one that polls (eventfd(2)).
final class Wakeup: Sendable {
  let descriptor: Int32 = swoop_eventfd()

  deinit { close(descriptor) }

  func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
  }
}
