internal import Glibc
internal import Synchronization
package import Testing

/// Tests that wait for other processes most of the time run here, some at once: the threads that Swift has for
/// everything else are as many as the machine has cores, and one that waits would keep a core idle.
final class WaitingThreads: TaskExecutor {
  static let shared = WaitingThreads()

  /// How many wait at a time; with more, what is timed in a test has too little of the machine.
  private static let count = 5

  private struct Queue: Sendable {
    var jobs: [UnownedJob] = []
    var next = 0
  }

  private let queue = Mutex(Queue())
  // A semaphore is made for several threads (sem_overview(7)); the pointer never changes.
  private nonisolated(unsafe) let ready: UnsafeMutablePointer<sem_t>

  private init() {
    ready = .allocate(capacity: 1)
    sem_init(ready, 0, 0)
    for _ in 0..<Self.count { start() }
  }

  private func start() {
    var thread = pthread_t()
    let owner = Unmanaged.passRetained(self).toOpaque()
    let code = pthread_create(
      &thread, nil,
      { owner in
        Unmanaged<WaitingThreads>.fromOpaque(owner!).takeRetainedValue().work()
      }, owner)
    guard code == 0 else { fatalError("no thread for the tests: \(String(cString: strerror(code)))") }
    pthread_detach(thread)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.withLock { $0.jobs.append(job) }
    sem_post(ready)
  }

  private func work() -> Never {
    while true {
      guard sem_wait(ready) == 0 else { continue }
      let job = queue.withLock { queue in
        defer { queue.next += 1 }
        return queue.jobs[queue.next]
      }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// Runs the tests of a suite on threads that may wait.
package struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
  }
}

extension Trait where Self == WaitingTrait {
  /// The tests wait for other processes most of the time.
  package static var waiting: Self { Self() }
}
