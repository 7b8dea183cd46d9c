import DownloadCore
import Glibc

/// Fetches what is missing of an open part, proves the result, and gives it its name.
struct FileFetch {
  let request: DownloadRequest
  let pool: TransferPool
  let session: PartSession
  let folder: Folder
  let sources: SourceList
  let onEvent: (DownloadEvent) -> Void

  func run(_ answer: Probe.Answer) throws(DownloadError) -> DownloadReport {
    let resumed = session.ledger.done
    try noteAnnounced(in: answer)
    if let length = session.manifest.wanted?.count {
      try session.prepare(length: length, reserving: request.preallocates)
    }
    try session.manifestFile.reserveRoom()
    begin(of: session.manifest.range?.range.count ?? answer.resource.length)
    if let note = session.noteOnDigests(answer.resource.url) { onEvent(.message(note)) }
    if answer.resource.validator.isWeakOnly { onEvent(.message("the server names the version by a weak ETag only")) }
    var loop = try makeLoop(
      answer.resource, latency: answer.latency, hasAnswer: answer.body != nil,
      doubted: session.isTrusted ? [] : session.ledger.segments)
    try loop.run(adopting: answer.body, answer.early)
    // A small file may have come between two reports.
    onEvent(.progress(session.progress))
    try compareKnown()
    let computed = try prove(&loop)
    // Whatever went wrong with the count: a file with a hole never gets its name.
    guard session.isComplete else { throw .unforeseen(request.url, "not all of it is here") }
    if request.range == nil { try request.checkSize(session.ledger.done, of: request.url) }
    // Of a file that is filled in place, what was finished before was compared with the server's version, and no more.
    let isAsBefore = session.manifest.finished == true && resumed == session.ledger.done && !session.isReplaced
    var report = DownloadReport(
      outcome: isAsBefore ? .alreadyComplete : .saved, path: folder.shown(session.part.name), bytes: session.ledger.done
    )
    report.computed = computed
    report.resumed = session.isReplaced ? 0 : min(resumed, report.bytes)
    report.connections = loop.mostConnections
    report.retries = loop.retries
    report.sources = sources.report(ofLength: report.bytes, resumed: report.resumed)
    report.verified = verified
    report.caveats = caveats(loop, resumed: report.resumed)
    try finish(loop.resource)
    return report
  }

  /// Proves and finishes a part that is complete already. Nil where some of it is damaged and must be fetched.
  func finishComplete() throws(DownloadError) -> DownloadReport? {
    let length = session.ledger.done
    let resource = Resource(url: request.url, validator: session.manifest.validator)
    begin(of: length)
    guard var found = try digestsOfPart(resource) else { return nil }
    if found != expected { noteComputed(found) }
    if refutesAnnouncement(found) {
      switch try askAgain() {
      case .same: break
      case .new:
        guard let again = try digestsOfPart(resource) else { return nil }
        found = again
      case .ofAnotherVersion: return nil
      }
    }
    try compare(found, .intact)
    var report = DownloadReport(outcome: .saved, path: folder.shown(session.part.name), bytes: length)
    report.resumed = length
    report.verified = verified
    report.caveats = digestCaveats
    try finish(resource)
    return report
  }

  /// The digests to compare of a part that is complete, after its segments were where they are not these. Nil where
  /// some of it is damaged.
  private func digestsOfPart(_ resource: Resource) throws(DownloadError) -> [Digest]? {
    // What an earlier run computed may refuse the name at once; it is given to nothing that was not read again.
    if let known = knownDigests, known != expected, request.pieces == nil { return known }
    let loop = try makeLoop(resource, hasAnswer: true, doubted: session.isTrusted ? [] : session.ledger.segments)
    guard try loop.checkDoubts() else { return nil }
    let found = try withoutDigestOfPart(loop.finishDigests())
    // Of a wrong file the pieces tell what is to be fetched again; where there is no other proof, they are the proof.
    if found != expected || expected.isEmpty, try !loop.checkPieces() { return nil }
    guard found != expected, session.isTrusted else { return found }
    // Nobody touched the part, but its disk may have.
    return try makeLoop(resource, hasAnswer: true, doubted: session.ledger.segments).checkDoubts() ? found : nil
  }

  private func begin(of length: Int64?) {
    var here = session.progress
    here.total = length
    onEvent(.started(url: request.url.redacted, path: folder.shown(session.part.name), here))
  }

  /// What the file is compared with, in this order.
  var expected: [Digest] { session.manifest.digestsToCompare }

  /// What the file was compared with; where that is nothing but its pieces, their algorithm.
  private var verified: [DigestAlgorithm] {
    expected.isEmpty ? request.pieces.map { [$0.algorithm] } ?? [] : expected.map(\.algorithm)
  }

  func makeLoop(
    _ resource: Resource, latency: Double? = nil, hasAnswer: Bool, doubted: [Segment]
  ) throws(DownloadError) -> TransferLoop {
    try TransferLoop(
      pool: pool, session: session, sources: sources, resource: resource, latency: latency, hasAnswer: hasAnswer,
      algorithms: expected.map(\.algorithm),
      doubted: doubted, onEvent: onEvent)
  }

  /// Before the first byte is written, so that the digests follow from the start.
  func noteAnnounced(in answer: Probe.Answer) throws(DownloadError) {
    guard request.checksServerDigest else { return }
    try session.note(answer)
  }

  private func caveats(_ loop: TransferLoop, resumed: Int64) -> [DownloadReport.Caveat] {
    guard expected.isEmpty, request.pieces == nil else { return digestCaveats }
    var caveats: [DownloadReport.Caveat] = []
    if loop.lengthIsUnverified { caveats.append(.lengthUnverified) }
    if resumed > 0, !session.isSameVersion { caveats.append(.identityUnverified) }
    return caveats
  }

  private var digestCaveats: [DownloadReport.Caveat] {
    let isUnauthenticated =
      expected.isEmpty ? request.digestsAreUnauthenticated : session.manifest.digestsUnauthenticated == true
    return isUnauthenticated ? [.digestNotAuthenticated] : []
  }
}

extension FileFetch {
  /// Of a damaged file, what was fetched again must be what was there before: no digest may tell. What is not is missing
  /// again. Throws `remoteChanged`.
  private func compareKnown() throws(DownloadError) {
    var wrong: [ByteRange] = []
    for segment in session.manifest.known ?? [] {
      let range = ByteRange(segment.start, segment.end)
      if try crc(of: range) != segment.checksum { wrong.append(range) }
    }
    guard let first = wrong.first else { return }
    for range in wrong { _ = try session.writer.forget(exactly: range) }
    throw .otherBytes(request.url, first, part: session.part.shownName)
  }

  /// Compares the digests. Where one differs, the part is read back: blocks that the disk damaged are fetched again,
  /// once.
  private func prove(_ loop: inout TransferLoop) throws(DownloadError) -> [Digest] {
    guard !expected.isEmpty else { return [] }
    let found = try withoutDigestOfPart(loop.finishDigests())
    guard found != expected else { return found }
    let again = try makeLoop(loop.resource, hasAnswer: true, doubted: session.ledger.segments)
    guard try !again.checkDoubts() else {
      if let right = try fetchSuspectsAgain(&loop) { return right }
      try compare(found, .intact)
      return found
    }
    let damaged = session.missing.count
    try again.run(adopting: nil)
    loop = again
    let second = try withoutDigestOfPart(again.finishDigests())
    try compare(second, second == expected ? .intact : verdict(after: damaged, loop.resource))
    return second
  }

  /// Whether a disk that has damaged so many bytes keeps what it was given in their place.
  private func verdict(after damaged: Int64, _ resource: Resource) throws(DownloadError) -> DiskVerdict {
    let loop = try makeLoop(resource, hasAnswer: true, doubted: session.ledger.segments)
    guard try !loop.checkDoubts() else { return .repaired(damaged) }
    return .damaged(fetchedAgain: damaged, damagedAgain: session.missing.count)
  }

  /// Of these digests what is to be compared: not that of which the server announced the digest of a part.
  func withoutDigestOfPart(_ found: [Digest]) throws(DownloadError) -> [Digest] {
    guard found != expected, try session.forgetDigestOfPart() else { return found }
    onEvent(.warning("the server announces the digests of the parts that it sends, not the file's: not compared"))
    let wanted = expected.map(\.algorithm)
    return found.filter { wanted.contains($0.algorithm) }
  }

  /// Digests that an earlier run computed of this very part; nil where not all that is wanted is among them.
  private var knownDigests: [Digest]? {
    guard session.isTrusted else { return nil }
    let known = session.manifest.computedDigests
    let found = expected.compactMap { digest in known.first { $0.algorithm == digest.algorithm } }
    return found.count == expected.count ? found : nil
  }

  /// Keeps the digests of a complete part that are not what was expected, so that the next run need not compute them.
  private func noteComputed(_ found: [Digest]) {
    guard session.isComplete else { return }
    session.manifest.computed.merge(Manifest.write(found)) { $1 }
  }

  /// Throws `digestMismatch`. `disk`: what comparing the part with its checksums has shown.
  private func compare(_ found: [Digest], _ disk: DiskVerdict) throws(DownloadError) {
    guard let (wrong, right) = zip(found, expected).first(where: { $0 != $1 }) else { return }
    noteComputed(found)
    session.isRefuted = true
    let (path, part) = (folder.shown(session.part.name), session.part.shownName)
    guard !session.manifest.demandedDigests.contains(right) else {
      throw .digestMismatch(path, part: part, expected: right, got: wrong, disk)
    }
    if let first = session.announcement?.member, let second = session.announcement?.other {
      throw .contradiction(request.url, first, second)
    }
    throw .announcedMismatch(path, part: part, expected: right, got: wrong, disk)
  }

  /// Every byte is accounted for and proved: the data is made durable, and the file gets its mode, time and name. A
  /// crash between any two of these leaves a state that the next run finishes without the network.
  private func finish(_ resource: Resource) throws(DownloadError) {
    try syncData()
    let modified = request.keepsServerTime ? (resource.lastModified ?? session.lastModified)?.secondsSinceEpoch : nil
    let hasTwoNames = try session.part.finish(
      mode: FileMode.finished, modified: modified, replacing: request.replacesExisting)
    // The file is there, whole and proved: what is left to do can fail without taking that back. Of two names the next
    // run removes one, as long as it finds the manifest.
    let isAlone = warn { () throws(DownloadError) in if hasTwoNames { try session.part.discard() } }
    warn { () throws(DownloadError) in try session.part.syncName() }
    if isAlone { warn { () throws(DownloadError) in try leaveManifest() } }
  }

  /// What is done of a file that is filled in place is said by its manifests alone.
  private func leaveManifest() throws(DownloadError) {
    guard !request.keepsManifest, session.part.place == nil else { return try session.keepManifest(proved: expected) }
    try session.removeManifest()
  }

  /// False where the step failed.
  @discardableResult
  private func warn(_ step: () throws(DownloadError) -> Void) -> Bool {
    do throws(DownloadError) {
      try step()
      return true
    } catch {
      onEvent(.warning(error.message))
      return false
    }
  }

  /// On the checkpoint thread, so that a signal still ends the process at once.
  private func syncData() throws(DownloadError) {
    try session.saveComplete()
    while !session.checkpoints.isIdle { _ = try pool.wait(atMost: 0.1) }
    try session.checkpoints.check()
  }
}

extension Pipeline {
  /// Finishes a part that is complete, without the network. Nil where some of it must be fetched again.
  func finishLocally(_ session: PartSession, _ folder: Folder) throws(DownloadError) -> DownloadReport? {
    let isInPlace = session.part.place != nil
    guard !isInPlace || session.manifest.finished == nil else { return nil }
    if !isInPlace, !request.replacesExisting, try session.part.targetExists() { return nil }
    do throws(DownloadError) {
      try session.part.truncate(to: session.ledger.done)
      return try FileFetch(
        request: request, pool: pool, session: session, folder: folder, sources: sources, onEvent: onEvent
      )
      .finishComplete()
    } catch {
      throw leave(session, error)
    }
  }
}
