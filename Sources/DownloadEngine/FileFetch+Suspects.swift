import DownloadCore

/// A digest that does not match although the disk is sound: one of the sources may have served other bytes, which the
/// samples did not show. What each brought is fetched again from the others, alone.
extension FileFetch {
  /// What a source has brought, and the CRC-32 of each range.
  private struct Evidence {
    let source: Source
    let segments: [Segment]
  }

  /// The digests that were computed, where they are right in the end. Nil where nobody can be asked, or none was wrong.
  func fetchSuspectsAgain(_ loop: inout TransferLoop) throws(DownloadError) -> [Digest]? {
    guard sources.areSeveral, loop.resource.canBeSplit, let wanted = session.manifest.wanted else { return nil }
    let evidence = try evidence(of: wanted)
    var haveDiffered = false
    for suspect in evidence {
      let what = "fetching again what came from \(suspect.source.url.redacted)"
      guard let found = try fetchAgain(what, without: [suspect.source], &loop) else { continue }
      if found == expected {
        try name(evidence)
        return found
      }
      if !haveDiffered { haveDiffered = try differs(suspect) }
    }
    // Where all have the same bytes, the digest is what is wrong. Else each may be wrong in a place of its own, and what
    // one was to mend came from the other: unless none is right, one of them alone is.
    guard haveDiffered else { return nil }
    for source in sources.all.reversed() where source.isAtHand || source.disagrees {
      let what = "fetching all from \(source.url.redacted)"
      let found = try fetchAgain(what, without: sources.all.filter { $0 !== source }, &loop)
      guard let found, found == expected else { continue }
      try name(evidence)
      return found
    }
    return nil
  }

  private func evidence(of wanted: ByteRange) throws(DownloadError) -> [Evidence] {
    var evidence: [Evidence] = []
    // Those that are trusted least come first, and last who told what the file is.
    for source in sources.mirrors.reversed() + [sources.main] {
      let ranges = sources.brought(by: source, of: wanted)
      guard !ranges.isEmpty else { continue }
      evidence.append(Evidence(source: source, segments: try segments(of: ranges)))
    }
    return evidence
  }

  /// The digests of the file in which what some sources brought was fetched again. Nil where there is no other.
  private func fetchAgain(
    _ what: String, without doubted: [Source], _ loop: inout TransferLoop
  ) throws(DownloadError) -> [Digest]? {
    let standings = doubted.map(\.standing)
    // Who was dropped for having other bytes than the main one may have been right.
    if doubted.contains(where: { $0 === sources.main }) { sources.reviveDisagreeing() }
    for source in doubted { source.standing = .doubted }
    // Any of them may have been right: the next round tells.
    defer { for (source, standing) in zip(doubted, standings) { source.standing = standing } }
    guard sources.all.contains(where: \.isAtHand) else { return nil }
    onEvent(.warning("the digest does not match: \(what)"))
    let wanted = session.manifest.wanted
    let ranges = doubted.flatMap { source in wanted.map { sources.brought(by: source, of: $0) } ?? [] }
    for range in ranges { _ = try session.writer.forget(exactly: range) }
    let again = try makeLoop(loop.resource, hasAnswer: true, doubted: [])
    do throws(DownloadError) {
      try again.run(adopting: nil)
    } catch {
      try takeBack(ranges)
      // That nobody else could be asked does not make the mismatch another failure.
      guard [.network, .refused, .tls, .remoteChanged].contains(error.failure) else { throw error }
      onEvent(.warning("nobody else has it now: \(error.message)"))
      return nil
    }
    again.countOn(loop)
    loop = again
    return try withoutDigestOfPart(again.finishDigests())
  }

  /// What was not fetched again is still in the part, and counts as before.
  private func takeBack(_ ranges: [ByteRange]) throws(DownloadError) {
    pool.stopAll()
    for range in ranges {
      for segment in try segments(of: session.ledger.covered.gaps(in: range).ranges) { session.writer.claim(segment) }
    }
  }

  private func segments(of ranges: [ByteRange]) throws(DownloadError) -> [Segment] {
    var segments: [Segment] = []
    for range in ranges { segments.append(Segment(range, crc32: try crc(of: range))) }
    return segments
  }

  func crc(of range: ByteRange) throws(DownloadError) -> UInt32 {
    var (crc, start) = (UInt32(0), range.start)
    while start < range.end {
      try pool.checkSignals()
      let bytes = try session.bytes(of: ByteRange(start, min(range.end, start + 1 << 20)))
      guard !bytes.isEmpty else { break }
      crc = bytes.withUnsafeBytes { CRC32.update(crc, $0) }
      start += Int64(bytes.count)
    }
    return crc
  }

  private func differs(_ evidence: Evidence) throws(DownloadError) -> Bool {
    for segment in evidence.segments where try crc(of: segment.range) != segment.crc32 { return true }
    return false
  }

  /// The file is proved: those whose bytes it does not have are named.
  private func name(_ evidence: [Evidence]) throws(DownloadError) {
    for suspect in evidence where try differs(suspect) {
      let why = "it served bytes that are not the file's"
      suspect.source.standing = .dropped(why)
      onEvent(.warning("\(sources.shown(suspect.source)): \(why); they were fetched again"))
    }
  }
}
