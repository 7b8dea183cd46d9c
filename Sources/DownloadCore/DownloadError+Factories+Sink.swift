/// What goes wrong where the bytes go to a reader or a device: what it has cannot be taken back.
extension DownloadError {
  /// So many bytes went to the sink, and what comes now cannot be shown to go on where they end; `reason` is one clause.
  /// `failure` is `network` where the connection was cut, and `remoteChanged` where the server has another file.
  package static func cannotGoOn(
    _ url: RemoteURL, after sent: Int64, to sink: Sink, _ reason: String, _ failure: Failure
  ) -> DownloadError {
    DownloadError(
      failure,
      "could not fetch all of \(url.redacted): \(reason), and \(sink.shown) has the first \(ByteCount(sent)) already: "
        + "that is no use without the rest")
  }

  /// All of the file went to the sink, and has another digest than the one demanded, or announced by the server.
  package static func sentMismatch(
    _ url: RemoteURL, to sink: Sink, expected: Digest, got: Digest, isAnnounced: Bool
  ) -> DownloadError {
    let whose = isAnnounced ? " what the server announced" : ""
    let what = mismatch(url.redacted, expected: expected, got: got, with: whose)
    let advice = isAnnounced ? "; --no-server-digest does not compare it" : ""
    return DownloadError(
      .digestMismatch, "\(what); \(sink.shown) has the bytes already: do not use what came of them\(advice)")
  }

  /// Nobody reads what is written.
  package static let readerGone = DownloadError(.interrupted(13), "the reader went away")
}
