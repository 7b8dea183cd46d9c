/// The signals that end a download, as something to poll.
package final class SignalSource {
  /// Blocks INT, TERM and HUP (those not ignored) in this thread and all that it starts; to be called before any thread is.
  package init() {}
}
