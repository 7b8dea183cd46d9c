internal import Glibc

/// Tells whether the process was stopped and goes on: a shell has written to the terminal meanwhile.
enum Continuation {
  private static var signals: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGCONT)
    return set
  }

  /// Keeps SIGCONT, which makes the process go on all the same (signal(7)), until it is asked for; to be called before
  /// any other thread exists.
  static func watch() {
    var set = signals
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Whether it has come since the last call.
  static func hasHappened() -> Bool {
    var set = signals
    var none = timespec()
    return sigtimedwait(&set, nil, &none) == SIGCONT
  }
}
