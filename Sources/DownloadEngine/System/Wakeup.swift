import Clinux
import Glibc
import Synchronization

/// Lets a thread wake another one that polls (eventfd(2)). Who is woken clears it first, and then looks what there is to
/// do: of many signals before that, one is enough.
final class Wakeup: Sendable {
  let descriptor: Int32 = swoop_eventfd()

  private let isSignalled = Atomic(false)

  deinit { close(descriptor) }

  func signal() {
    guard !isSignalled.exchange(true, ordering: .sequentiallyConsistent) else { return }
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  func clear() {
    var count: UInt64 = 0
    // Where nothing was read, a signal may be on its way: its write is still to come.
    if read(descriptor, &count, 8) == 8 { isSignalled.store(false, ordering: .sequentiallyConsistent) }
  }
}
