internal import Glibc

/// A value behind a lock, with a way to wait for it to change.
///
/// `Mutex` has no condition variable, and a test that waits for an event needs one.
// Unchecked because the compiler cannot see that `value` is only touched while `mutex` is held.
package final class Monitor<Value: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  /// A monitor of `value`.
  package init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Changes the value, and wakes whoever waits for it.
  package func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return try body(&value)
  }

  /// Reads the value.
  package func read<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(value)
  }

  /// Waits until the predicate holds, and says whether it did before `timeout` had passed.
  package func wait(timeout: Duration, until predicate: (Value) throws -> Bool) rethrows -> Bool {
    var deadline = Self.deadline(after: timeout)
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while try !predicate(value) {
      let result = pthread_cond_timedwait(condition, mutex, &deadline)
      if result == ETIMEDOUT { return try predicate(value) }
    }
    return true
  }

  private static func deadline(after timeout: Duration) -> timespec {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let nanoseconds = Int64(now.tv_nsec) + timeout.components.attoseconds / 1_000_000_000
    let seconds = Int64(now.tv_sec) + timeout.components.seconds + nanoseconds / 1_000_000_000
    return timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
