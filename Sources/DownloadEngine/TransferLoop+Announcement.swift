import DownloadCore

/// Digests that answers announce while the file comes.
extension TransferLoop {
  /// Notes what an accepted answer announces, and from now on computes what is to be compared.
  func noteAnnounced(by transfer: Transfer) throws(DownloadError) {
    guard job.checksServerDigest, let announced = transfer.announced else { return }
    // A digest begins with the first byte, which a sink may have passed on.
    guard !isPassedOn || session.announcement != nil else { return }
    try session.note(announced, of: transfer.answeredPart, from: transfer.request.url)
    let wanted = session.manifest.digestsToCompare.map(\.algorithm)
    guard wanted != algorithms else { return }
    algorithms = wanted
    digester = try PrefixDigester(
      part: session.store, from: session.start, algorithms: algorithms, doubted: digester.cancelled(),
      wakeup: pool.wakeup)
  }
}

extension Transfer {
  /// The part of the file that the accepted answer's body is; nil: all of it.
  var answeredPart: ByteRange? {
    guard case .partial(let range, let total) = verdict, range != ByteRange(0, total ?? unknownEnd) else { return nil }
    return range
  }

  /// What the head of the accepted answer announces; nil before there is one.
  var announced: AnnouncedDigests? {
    guard isAccepted, let head else { return nil }
    return AnnouncedDigests(head: head, isWhole: answeredPart == nil)
  }
}
