import DownloadCore

/// A digest that the server announced and the file does not have: it may have been put right since.
extension FileFetch {
  enum Announcement {
    /// What was known, or the server cannot be asked.
    case same
    /// The manifest has the new one.
    case new
    /// The server has another version of the file now, or another file.
    case ofAnotherVersion
  }

  /// For so long the server is asked, in seconds: the answer to a run that fails anyway.
  private static let patience = 15.0

  /// Whether these digests of the file have all that was demanded, and not what the server announced.
  func refutesAnnouncement(_ found: [Digest]) -> Bool {
    let missed = zip(found, expected).first { $0 != $1 }?.1
    return missed.map { !session.manifest.demandedDigests.contains($0) } ?? false
  }

  /// Asks by a GET, of which nothing but the head is taken: what HEAD alone announces does not count.
  ///
  /// Throws `interrupted`, and `digestMismatch` where the server contradicts itself.
  func askAgain() throws(DownloadError) -> Announcement {
    let probe = Probe(pool, mayGoAhead: false, onEvent: onEvent)
    probe.question = .range
    probe.job.timeouts.giveUp = min(probe.job.timeouts.giveUp, Self.patience)
    let answer: Probe.Answer
    do throws(DownloadError) {
      answer = try probe.run()
    } catch {
      if case .interrupted = error.failure { throw error }
      onEvent(.message("what the server announces now is not known: \(error.message)"))
      return .same
    }
    defer { pool.stopAll() }
    return try take(answer)
  }

  private func take(_ answer: Probe.Answer) throws(DownloadError) -> Announcement {
    if case .changed = session.manifest.validator.matches(answer.resource.validator) { return .ofAnotherVersion }
    let (old, oldPart) = (session.manifest.announced, session.manifest.announcedPart)
    session.manifest.announced = nil
    session.announcement = nil
    try noteAnnounced(in: answer)
    guard let new = session.manifest.announced, new != old else {
      // To announce nothing any more takes nothing back.
      session.manifest.announced = old
      session.manifest.announcedPart = oldPart
      return .same
    }
    return .new
  }
}
