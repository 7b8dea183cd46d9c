import DownloadCore

/// What of an answer may be taken now.
extension TransferPool {
  /// Whether a piece may be taken; where not, the transfer is held back. Throws where a wait for it is to end.
  func mayTake(_ count: Int, of transfer: Transfer) throws(DownloadError) -> Bool {
    guard !transfer.request.url.isFile else {
      try awaitLimit(count)
      return true
    }
    guard !isBeyondHorizon(transfer), limiter?.take(count) ?? true else {
      heldBack.append(transfer)
      return false
    }
    return true
  }

  /// libcurl cannot pause where it reads a file of this machine: the limit is waited for. How far ahead of a reader it
  /// goes, the length of the pieces decides.
  private func awaitLimit(_ count: Int) throws(DownloadError) {
    guard let limiter else { return }
    while !limiter.take(count) {
      hasWaited = true
      try rest(milliseconds: Int32(max(1, min(limiter.delay, Self.longestWait) * 1000)))
    }
  }

  /// In seconds.
  private static var longestWait: Double { 0.05 }

  /// Whether `hasWaited`, since it was asked last.
  func takeWaited() -> Bool {
    defer { hasWaited = false }
    return hasWaited
  }

  /// The bytes of a file of this machine to ask for at once: nothing else is done until they have come. Of what the limit
  /// lets through, so little that all connections together take a second for it; of a reader's window, a part.
  var mostOfFile: Int64 {
    var most = PlainTalk.mostOfFile
    if horizon < .max { most = min(most, max(Self.leastOfWindow, job.window.bytes / 4)) }
    if let rate = job.rateLimit?.bytes {
      most = min(most, max(Self.leastOfRate, rate / Int64(ConnectionLimit.automaticMost)))
    }
    return most
  }

  private static var leastOfWindow: Int64 { 64 << 10 }
  private static var leastOfRate: Int64 { 4 << 10 }
}
