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

  /// The number of a signal that has arrived, or nil. Once one has, a second INT or TERM ends the process at once.
  ///
  /// Not so one that came together with the first, as where a service is stopped by TERM and HUP: what was fetched is
  /// to be saved. Nor a second HUP: the kernel and the shell each send one when a terminal goes away.
  func pending() -> Int32? {
    guard let first = take() else { return nil }
    while take() != nil {}
    var hurried = watched
    sigdelset(&hurried, SIGHUP)
    pthread_sigmask(SIG_UNBLOCK, &hurried, nil)
    return first
  }

  /// From now on signals have their default effect: nothing is left that would have to be saved. One that waits has
  /// it at once.
  package func release() { pthread_sigmask(SIG_UNBLOCK, &watched, nil) }

  private func take() -> Int32? {
    let signal = swoop_next_signal(descriptor)
    return signal == 0 ? nil : signal
  }
}
