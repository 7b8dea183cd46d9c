import DownloadCore

/// What the server announces of the file's digest.
extension FetchSession {
  /// A digest that an answer announced.
  struct Announcement {
    /// The strongest of them.
    let member: AnnouncedDigests.Member
    /// What another answer announced with the same algorithm.
    var other: AnnouncedDigests.Member?
  }

  /// Takes over what an answer of this version announces: the first one counts, and replaces what an earlier run was told.
  /// `part`: what of the file its body is; nil: all of it, or nothing.
  ///
  /// Throws `digestMismatch` where no file can have all that is announced.
  func note(_ announced: AnnouncedDigests, of part: ByteRange?, from url: RemoteURL) throws(DownloadError) {
    let counted = announced.stronger(than: manifest.demandedDigests, offered: MessageDigest.isOffered)
    if let (first, second) = counted.contradiction { throw .contradiction(url, first, second) }
    guard let member = counted.strongest else { return }
    guard let known = announcement?.member else {
      announcement = Announcement(member: member)
      manifest.announced = Manifest.write([member.digest])
      manifest.announcedPart = part.map { Manifest.StoredRange($0) }
      return
    }
    if known.digest.algorithm == member.digest.algorithm, known.digest != member.digest { announcement?.other = member }
  }

  /// Takes over what the answers to a probe announce.
  func note(_ answer: Probe.Answer) throws(DownloadError) {
    try note(answer.linked, of: nil, from: answer.resource.url)
    guard let transfer = answer.body?.transfer, let announced = transfer.announced else { return }
    try note(announced, of: transfer.answeredPart, from: answer.resource.url)
  }

  /// Forgets what was announced, in this run or an earlier one, if it is the digest of the part that came with it: some
  /// servers take what they send for the whole. False where it is not.
  func forgetDigestOfPart() throws(DownloadError) -> Bool {
    guard let part = manifest.announcedPart?.range, let announced = manifest.announcedDigests.first,
      try digest(of: part, announced.algorithm) == announced
    else { return false }
    announcement = nil
    manifest.announced = nil
    return true
  }

  private func digest(of range: ByteRange, _ algorithm: DigestAlgorithm) throws(DownloadError) -> Digest? {
    let digests = try MessageDigests([algorithm])
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { buffer.deallocate() }
    var offset = range.start
    while offset < range.end {
      let wanted = Int(min(Int64(buffer.count), range.end - offset))
      let count = try store.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
      guard count > 0 else { return nil }
      digests.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += Int64(count)
    }
    return digests.finish().first
  }
}
