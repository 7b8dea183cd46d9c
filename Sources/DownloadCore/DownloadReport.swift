/// How a download ended well.
package struct DownloadReport: Sendable {
  /// What was done.
  package enum Outcome: Hashable, Sendable {
    case saved
    /// All of it went, in order, to a reader or a device.
    case sent(Sink)
    /// The file was here already; nothing was fetched.
    case alreadyComplete
    /// Only asked and planned.
    case planned
  }
  /// What the last line must admit.
  package enum Caveat: Hashable, Sendable {
    /// Nothing but the connection's end marked the file's end.
    case lengthUnverified
    /// The server names no version of the file, and it was fetched in more than one run.
    case identityUnverified
    /// The digest came over plain http: whoever changed the file on its way could have changed that as well.
    case digestNotAuthenticated
  }

  /// What was done.
  package var outcome: Outcome
  /// As shown: the folder as typed and the name.
  package var path: String
  /// The whole file's length; 0 where a dry run did not learn it.
  package var bytes: Int64
  /// False where a dry run did not learn it.
  package var lengthIsKnown = true
  /// Of these, what was here before this run.
  package var resumed: Int64 = 0
  /// Seconds from the beginning to the end, retries and digests included.
  package var seconds = 0.0
  /// The most connections at one time.
  package var connections = 0
  /// Requests that failed and were made again.
  package var retries = 0
  /// The digests that were computed of the file.
  package var computed: [Digest] = []
  /// The algorithms that were compared.
  package var verified: [DigestAlgorithm] = []
  /// What could not be made sure of; mostly nothing.
  package var caveats: [Caveat] = []
  /// What each source has done, where there were several.
  package var sources: [SourceReport] = []
  /// What a dry run would do, as one line.
  package var plan: String?

  /// A report to fill in.
  package init(outcome: Outcome, path: String, bytes: Int64) {
    self.outcome = outcome
    self.path = path
    self.bytes = bytes
  }
}
