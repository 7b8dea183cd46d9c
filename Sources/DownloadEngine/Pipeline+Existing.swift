import DownloadCore

/// Files of the final name that are here already.
extension Pipeline {
  /// The file of a run that was killed when it had the file's name given and its manifest not yet removed: that is all
  /// there is left to do.
  func finishedBefore(_ folder: Folder, _ name: String) throws(DownloadError) -> DownloadReport? {
    guard !request.restarts, request.place == nil, let finished = try FinishedFile(in: folder, name: name) else {
      return nil
    }
    let manifest = finished.manifest
    // One that was kept on purpose tells of no run that was killed.
    guard manifest.finished != true, request.isWanted(manifest) else { return nil }
    let demanded = request.digests.isEmpty ? manifest.demandedDigests : request.digests
    guard manifest.url == request.url.withoutSecrets, Manifest.write(demanded) == manifest.digests else { return nil }
    let expected = request.checksServerDigest ? manifest.digestsToCompare : demanded
    // Also a part that was refuted, or not read to its end, gets the file's name from somebody's hand.
    guard try mismatch(with: expected, folder, name) == nil else { return nil }
    guard try finished.settle(keeping: request.keepsManifest) else { return nil }
    var report = DownloadReport(outcome: .saved, path: folder.shown(name), bytes: finished.length)
    report.resumed = finished.length
    report.verified = expected.map(\.algorithm)
    if isUnauthenticated(manifest) { report.caveats.append(.digestNotAuthenticated) }
    return report
  }

  /// A file whose digests are right is complete; the network is not asked at all. Nil: not known to be.
  func provenComplete(_ folder: Folder, _ name: String) throws(DownloadError) -> DownloadReport? {
    guard !request.digests.isEmpty, request.place == nil, let status = try folder.status(of: name),
      status.kind == .regular
    else {
      return nil
    }
    // What was read once and found to be another file need not be read again.
    guard refuted.status != status else { return nil }
    if let mismatch = try mismatch(with: request.digests, folder, name) {
      refuted.status = status
      refuted.mismatch = mismatch
      return nil
    }
    return complete(folder, name, status.size, verified: request.digests.map(\.algorithm))
  }

  /// Whether all that is known of the digests came over plain http.
  private func isUnauthenticated(_ manifest: Manifest) -> Bool {
    request.digests.isEmpty ? manifest.digestsUnauthenticated == true : request.digestsAreUnauthenticated
  }

  /// Reads the file, where there is something to compare it with: the first digest that it lacks, and the one that it
  /// has. Nil where it has them all.
  private func mismatch(
    with expected: [Digest], _ folder: Folder, _ name: String
  ) throws(DownloadError) -> (expected: Digest, got: Digest)? {
    guard !expected.isEmpty else { return nil }
    let algorithms = expected.map(\.algorithm)
    let (pool, onEvent) = (pool, onEvent)
    let meter = ProgressReporter(total: nil, at: pool.now, onEvent: onEvent)
    let found = try FileDigests.compute(of: name, in: folder, algorithms) {
      done, total throws(DownloadError) in
      meter.verifying(done, of: total, at: pool.now)
      try pool.checkSignals()
    }
    return zip(expected, found).first { $0 != $1 }.map { (expected: $0, got: $1) }
  }

  private func complete(
    _ folder: Folder, _ name: String, _ bytes: Int64, verified: [DigestAlgorithm]
  ) -> DownloadReport {
    // What a killed run may have left beside it is no use any more; to fail at that changes nothing.
    if !request.isDryRun {
      _ = try? FinishedFile(in: folder, name: name)?.settle(keeping: request.keepsManifest)
    }
    var report = DownloadReport(outcome: .alreadyComplete, path: folder.shown(name), bytes: bytes)
    report.verified = verified
    if request.digestsAreUnauthenticated { report.caveats.append(.digestNotAuthenticated) }
    return report
  }

  /// What to do about a file of the final name, now that the server's answer is known: nil, go on; a report, it is
  /// complete; or throws `targetExists`.
  func existing(_ folder: Folder, _ name: String, _ resource: Resource) throws(DownloadError) -> DownloadReport? {
    if request.place == nil { try claim?.claim(name, in: request.target, shown: folder.shown(name)) }
    guard request.place == nil, let status = try folder.status(of: name) else { return nil }
    if let report = try provenComplete(folder, name) { return report }
    if request.replacesExisting {
      guard status.kind != .folder else { throw .folderExists(folder.shown(name)) }
      return nil
    }
    guard try request.isComplete(folder, name, status, resource) else {
      if request.range != nil, refuted.status != status { throw .rangeTargetExists(folder.shown(name)) }
      throw folder.inTheWay(name, mismatch: refuted.status == status ? refuted.mismatch : nil)
    }
    return complete(folder, name, status.size, verified: [])
  }
}

extension DownloadRequest {
  /// Whether a manifest is of the part that is wanted, of the same file.
  fileprivate func isWanted(_ manifest: Manifest) -> Bool {
    let wanted = range.map { $0.range(in: manifest.length ?? 0) }
    return manifest.url == url.withoutSecrets && manifest.offset == nil
      && manifest.range?.range == wanted ?? nil
      && (range == nil || manifest.range != nil)
  }

  /// Whether a file that is here is the server's, where no digest is given: the server's length, a time not before its
  /// Last-Modified, and no other downloader's control file beside it.
  func isComplete(
    _ folder: Folder, _ name: String, _ status: FileStatus, _ resource: Resource
  ) throws(DownloadError) -> Bool {
    guard digests.isEmpty, status.kind == .regular,
      let length = try wantedRange(in: resource.length, of: resource.url)?.count ?? resource.length,
      status.size == length
    else { return false }
    let manifest = try? ManifestFile(folder: folder, name: name).load()?.get()
    let kept = manifest?.finished == true ? manifest : nil
    // One that was fetched as another version is not this one, whatever its length and time are.
    if let kept, kept.url == url.withoutSecrets, case .changed = kept.validator.matches(resource.validator) {
      return false
    }
    // Parts of one file may be as long as each other: only a manifest tells which one this is.
    let isKnown = kept.map { kept in
      kept.isComplete && isWanted(kept)
        && kept.describes(finished: status.identity, length: status.size, modified: status.modifiedSeconds)
    }
    guard range == nil || isKnown == true else { return false }
    if let modified = resource.lastModified, status.modifiedSeconds < modified.secondsSinceEpoch { return false }
    // A manifest alone: somebody gave an incomplete part this name.
    let part = try folder.status(of: name + PartFile.suffix)
    if part == nil, kept == nil, try folder.status(of: name + ManifestFile.suffix) != nil { return false }
    for suffix in [".aria2", ".st"] where try folder.status(of: name + suffix) != nil { return false }
    return true
  }
}
