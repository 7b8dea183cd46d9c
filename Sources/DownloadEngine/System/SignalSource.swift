import Clinux
import Glibc

/// The signals that end a download, as a descriptor to poll: INT, TERM and HUP.
///
/// One that was ignored when the process began (nohup, a script's `&`) stays ignored.
package final class SignalSource {
  let descriptor: Int32
  private var watched: sigset_t

  /// Blocks the signals in this thread and in all that it starts; to be called before any other thread exists.
  /// Reads the mask for files' modes as well, which is to be done at the same time.
  package init() {
    FileMode.readMask()
    watched = sigset_t()
    sigemptyset(&watched)
    for signal in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(signal) { sigaddset(&watched, signal) }
    pthread_sigmask(SIG_BLOCK, &watched, nil)
    descriptor = swoop_signalfd(&watched)
  }

  deinit { close(descriptor) }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    sigaction(signal, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
  }

  /// The number of a signal that has arrived, or nil. Once one has, all of them have their default effect again, so
  /// that a second one ends the process at once.
  func pending() -> Int32? {
    let signal = swoop_next_signal(descriptor)
    guard signal != 0 else { return nil }
    pthread_sigmask(SIG_UNBLOCK, &watched, nil)
    return signal
  }
}
