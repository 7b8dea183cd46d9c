import Glibc

/// Threads wait on a condition of what a mutex guards: the standard library's Mutex has no condition variable.
///
/// Unchecked, because the compiler cannot see that `state` is touched only between the lock and the unlock of `mutex`.
final class Monitor<State: Sendable>: @unchecked Sendable {
  private var state: State
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Reads or changes the state, and wakes who waits for it.
  func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return body(&state)
  }

  /// The same, and wakes them only where `wakes` says so of the new state.
  func withLock<Result>(wakingIf wakes: (State) -> Bool, _ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      if wakes(state) { pthread_cond_broadcast(condition) }
      pthread_mutex_unlock(mutex)
    }
    return body(&state)
  }

  /// Reads the state, and wakes nobody.
  func read<Result>(_ body: (State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(state)
  }

  /// Waits until `body` gives something.
  func wait<Result>(for body: (inout State) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }
}
