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

extension DownloadError {
  /// What went wrong, without what it was about and what to do.
  package var cause: String {
    var text = message[...]
    if let advice = text.firstRange(of: "; run the same command again") { text = text[..<advice.lowerBound] }
    if let kept = text.firstRange(of: "; what was fetched is kept") { text = text[..<kept.lowerBound] }
    guard text.hasPrefix("could not fetch "), let colon = text.firstRange(of: ": ") else { return String(text) }
    return String(text[colon.upperBound...])
  }
}

extension DownloadError: CustomStringConvertible {
  /// The message alone.
  package var description: String { message }
}
