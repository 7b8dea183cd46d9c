import Clinux
import Glibc
import Synchronization

/// The signals that end a download, as a descriptor to poll: INT, TERM, HUP and QUIT.
///
/// One that was ignored when the process began (nohup, a script's `&`) stays ignored.
///
/// Several threads may ask: all of them are told of the one that came first, each when it asks.
package final class SignalSource: Sendable {
  let descriptor: Int32
  private let watched: sigset_t
  private let arrived = Mutex<Int32?>(nil)

  /// Blocks the signals in this thread and in all that it starts; to be called before any other thread exists.
  /// Reads the mask for files' modes as well, which is to be done at the same time.
  package init() {
    FileMode.readMask()
    var watched = sigset_t()
    sigemptyset(&watched)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !Self.isIgnored(signal) { sigaddset(&watched, signal) }
    pthread_sigmask(SIG_BLOCK, &watched, nil)
    descriptor = swoop_signalfd(&watched)
    self.watched = watched
  }

  deinit { close(descriptor) }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    sigaction(signal, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
  }

  /// The number of the first signal that has arrived, or nil. Once one has, a second INT, TERM or QUIT ends the process at
  /// once: in each thread that was told of it.
  ///
  /// Not so one that came together with the first, as where a service is stopped by TERM and HUP: what was fetched is
  /// to be saved. Nor a second HUP: the kernel and the shell each send one when a terminal goes away.
  func pending() -> Int32? {
    guard let first = arrived.withLock({ arrivedFirst(&$0) }) else { return nil }
    var hurried = watched
    sigdelset(&hurried, SIGHUP)
    pthread_sigmask(SIG_UNBLOCK, &hurried, nil)
    return first
  }

  /// From now on signals have their default effect: nothing is left that would have to be saved. One that waits has
  /// it at once.
  package func release() {
    var released = watched
    pthread_sigmask(SIG_UNBLOCK, &released, nil)
  }

  /// Ends all downloads that share it as if a signal of this number had come.
  package func end(as signal: Int32) { arrived.withLock { $0 = $0 ?? signal } }

  private func arrivedFirst(_ arrived: inout Int32?) -> Int32? {
    guard arrived == nil, let first = take() else { return arrived }
    while take() != nil {}
    arrived = first
    return first
  }

  private func take() -> Int32? {
    let signal = swoop_next_signal(descriptor)
    return signal == 0 ? nil : signal
  }
}
