/// What ended a download: the kind, and one line that says what happened, where, why, and what to do.
package struct DownloadError: Error, Hashable, Sendable {
  /// Drives the exit code.
  package var failure: Failure
  /// One line without secrets; what a server said in it was sanitised.
  package var message: String
  /// The server's status is what it says to a link that has expired.
  package var mayHaveExpired = false

  /// Takes the message as it is: one line without secrets.
  package init(_ failure: Failure, _ message: String) {
    self.failure = failure
    self.message = message
  }
}

extension DownloadError: CustomStringConvertible {
  /// The message alone.
  package var description: String { message }
}
