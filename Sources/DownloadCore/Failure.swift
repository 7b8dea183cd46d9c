/// The kinds of failure that a caller can tell apart; each has one exit code.
package enum Failure: Hashable, Sendable {
  /// Anything that nobody foresaw.
  case unforeseen
  /// Words that make no request: an option, a URL, a number.
  case usage
  /// The network, to the end of the retries.
  case network
  /// The server refused, or cannot be understood.
  case refused
  /// A digest does not match.
  case digestMismatch
  /// The file changed on the server, or its ranges cannot be trusted.
  case remoteChanged
  /// This machine: disk full, no permission, too large, a part that is not ours.
  case local
  /// Certificate or handshake.
  case tls
  /// Another process is at work on the file.
  case locked
  /// The target exists and is not this file.
  case targetExists
  /// The manifest cannot be used for this.
  case manifestUnusable
  /// Ended by a signal, its number.
  case interrupted(Int32)
}
