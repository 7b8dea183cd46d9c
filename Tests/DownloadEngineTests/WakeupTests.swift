import Glibc
import Synchronization
import Testing

@testable import DownloadEngine

@Suite struct WakeupTests {
  private func isReadable(_ wakeup: Wakeup, milliseconds: Int32 = 0) -> Bool {
    var entry = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) == 1
  }

  @Test func manySignalsAreOne() {
    let wakeup = Wakeup()
    #expect(!isReadable(wakeup))
    for _ in 0..<3 { wakeup.signal() }
    #expect(isReadable(wakeup))
    wakeup.clear()
    #expect(!isReadable(wakeup))
    wakeup.clear()
    wakeup.signal()
    #expect(isReadable(wakeup))
  }

  /// Who clears and then looks sees all that there is, however the signals fall.
  @Test func noSignalIsLost() throws {
    let (wakeup, last) = (Wakeup(), 50_000)
    let told = Told()
    let threads = 2
    for _ in 0..<threads {
      let worker = try Worker {
        for _ in 0..<last {
          told.count.add(1, ordering: .sequentiallyConsistent)
          wakeup.signal()
        }
      }
      worker.detach()
    }
    while told.count.load(ordering: .sequentiallyConsistent) < threads * last {
      guard isReadable(wakeup, milliseconds: 60_000) else {
        Issue.record("nobody was woken")
        return
      }
      wakeup.clear()
    }
  }

  private final class Told: Sendable {
    let count = Atomic(0)
  }
}
