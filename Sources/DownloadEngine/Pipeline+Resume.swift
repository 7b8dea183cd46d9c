import DownloadCore

/// Parts that an earlier run left behind.
extension DownloadRequest {
  /// Whether a part of another address is of the file that is wanted, by all that is known of that beforehand: its length,
  /// and its digests, with which the file will be compared.
  fileprivate func isKnown(_ manifest: Manifest) -> Bool {
    guard let knownLength, manifest.length == knownLength, !digests.isEmpty else { return false }
    return Manifest.write(digests) == manifest.digests
  }
}

extension Pipeline {
  /// The part under the name that is most likely, if it is this URL's: its first gap is where the first GET begins.
  func earlierPart(_ folder: Folder, _ name: String) throws(DownloadError) -> PartSession? {
    guard !request.restarts,
      let part = try PartFile.open(in: folder, name: name, place: request.place, creating: false)
    else { return nil }
    let file = ManifestFile(folder: folder, name: request.stem(of: name))
    do throws(DownloadError) {
      guard case .success(let manifest)? = try file.load(), manifest.finished != true || request.place != nil else {
        return nil
      }
      try checkSource(of: manifest, file.resumable(part))
      return try resume(part, file, manifest)
    } catch {
      // The server may give the file another name: then this part is none of our business.
      if request.target.name == nil, error.failure == .manifestUnusable { return nil }
      throw error
    }
  }

  /// Another URL's part is left alone, and so is another part of the same file. `part` is its path as shown.
  func checkSource(of manifest: Manifest, _ part: String) throws(DownloadError) {
    // The sources of a file may come in another order, or not all of them, the next time.
    let sources = [request.url] + request.mirrors.map(\.url)
    let isKnown = sources.contains { manifest.url == $0.withoutSecrets }
    refuted.isPartOfOther = !isKnown && request.isKnown(manifest)
    guard isKnown || request.acceptsNewURL || refuted.isPartOfOther else {
      throw .otherURL(part: part, url: manifest.url)
    }
    var wanted = manifest
    wanted.offset = request.outputOffset
    wanted.range = request.range?.range(in: manifest.length ?? 0).map { Manifest.StoredRange($0) }
    guard wanted == manifest, request.range == nil || wanted.range != nil else {
      let words = request.range == nil || wanted.range != nil ? wanted.holding : "bytes \(request.range!)"
      throw .otherRange(part: part, here: manifest.holding, wanted: words)
    }
  }

  /// Takes over what the manifest claims, as far as the part can hold it.
  private func resume(
    _ part: PartFile, _ file: ManifestFile, _ manifest: Manifest
  ) throws(DownloadError) -> PartSession {
    var manifest = manifest
    let status = try part.status()
    let size = status.size
    let base = manifest.base
    manifest.segments = manifest.length == nil ? [] : manifest.segments.filter { $0.end - base <= size }
    let isTrusted =
      manifest.part == status.identity && manifest.boot != nil
      && manifest.boot == part.folder.system.boot && (part.place != nil || size <= manifest.wanted?.count ?? 0)
    if !isTrusted { manifest.computed = [:] }
    let formerURL = manifest.url
    manifest.demand(of: request)
    if !request.checksServerDigest { manifest.announced = nil }
    manifest.url = request.url.withoutSecrets
    manifest.urlIncomplete = request.url.hasSecretQuery ? true : nil
    let session = PartSession(
      part: part, manifestFile: file, manifest: manifest, isTrusted: isTrusted, for: request, wakeup: pool.wakeup)
    session.formerURL = formerURL
    session.isOfMirror = sources.isMainAMirror
    return session
  }

  /// Opens the part of a file whose name and version are known now, and decides what of it still counts.
  func openPart(
    _ folder: Folder, _ name: String, _ answer: inout Probe.Answer, earlier: PartSession?
  ) throws(DownloadError) -> PartSession {
    if let earlier, earlier.part.name == name { return try accept(earlier, &answer) }
    guard let part = try PartFile.open(in: folder, name: name, place: request.place, creating: true) else {
      throw DownloadError(.unforeseen, "cannot make \(folder.shown(name))")
    }
    let file = ManifestFile(folder: folder, name: request.stem(of: name))
    var found: Result<Manifest, ManifestProblem>?
    do throws(DownloadError) {
      // Another process may have finished the file between our look at its name and our lock on the part.
      if part.isNew, part.place == nil, !request.replacesExisting, try part.targetExists() {
        throw folder.inTheWay(name)
      }
      try file.check()
      found = request.restarts ? nil : try file.load()
      // One that was kept beside a finished file says nothing of a part.
      if part.place == nil, case .success(let kept)? = found, kept.finished == true { found = nil }
    } catch {
      if part.isNew { discard(part) }
      throw error
    }
    guard case .success(let manifest)? = found, !part.isNew else {
      try leaveForeign(part, hasManifest: found != nil)
      if !request.restarts { sayWhyNothingCounts(found, part) }
      return try begin(part, file, answer.resource)
    }
    try checkSource(of: manifest, file.resumable(part))
    return try accept(try resume(part, file, manifest), &answer)
  }

  /// Where the server has chosen the name, what is here under it and is none of ours is not replaced for that.
  private func leaveForeign(_ part: PartFile, hasManifest: Bool) throws(DownloadError) {
    guard !request.restarts, part.name != likelyName, !part.isNew || hasManifest else { return }
    if part.isNew { discard(part) }
    throw .foreignPart(part.shownName)
  }

  /// What cannot be removed is said beside the failure that led here, which is the one to report.
  private func discard(_ part: PartFile) {
    do throws(DownloadError) { try part.discard() } catch { onEvent(.warning(error.message)) }
  }

  private func sayWhyNothingCounts(_ found: Result<Manifest, ManifestProblem>?, _ part: PartFile) {
    if part.isNew {
      guard found != nil else { return }
      onEvent(.warning("there is a manifest of \(part.shownName), but no such file: beginning again"))
    } else if case .failure(.malformed(let what))? = found {
      onEvent(.warning("the manifest of \(part.shownName) cannot be used (\(what)): beginning again"))
    } else if part.place == nil {
      onEvent(.warning("\(part.shownName) has no manifest: beginning again"))
    }
  }

  private func begin(_ part: PartFile, _ file: ManifestFile, _ resource: Resource) throws(DownloadError) -> PartSession
  {
    var manifest = Manifest(url: request.url.withoutSecrets)
    manifest.urlIncomplete = request.url.hasSecretQuery ? true : nil
    manifest.demand(of: request)
    let session = PartSession(
      part: part, manifestFile: file, manifest: manifest, isTrusted: true, for: request, wakeup: pool.wakeup)
    session.isOfMirror = sources.isMainAMirror
    do throws(DownloadError) {
      try session.begin(resource)
    } catch {
      throw leave(session, error)
    }
    return session
  }

  /// Compares the version that the part is of with the server's.
  private func accept(_ session: PartSession, _ answer: inout Probe.Answer) throws(DownloadError) -> PartSession {
    // The server's name for the file led here: what was asked for as if nothing were here may be here.
    for body in answer.early { pool.stop(body.transfer) }
    answer.early = []
    let part = session.part.shownName
    let standing = try standing(of: session, &answer)
    if request.staysWithVersion, let how = standing.whyNot { throw .otherFile(part: part, url: request.url, how) }
    switch standing {
    case .counts: return session
    case .isEmpty: break
    case .isDamaged: onEvent(.restarted("all that is in \(part) is damaged: beginning again"))
    case .isOfAnotherVersion(let change):
      guard !isNewAddress else { throw .otherFile(part: part, url: sources.main.url, change) }
      onEvent(.restarted("\(part) is of another version (\(change)): beginning again"))
    }
    try beginAgain(session, &answer)
    return session
  }

  private func beginAgain(_ session: PartSession, _ answer: inout Probe.Answer) throws(DownloadError) {
    // The body under way, if any, begins where the old part had its first gap.
    if let body = answer.body, body.transfer.position > 0 {
      pool.stop(body.transfer)
      answer.body = nil
    }
    session.isReplaced = true
    try session.begin(answer.resource)
  }

  /// What an earlier run's part is worth, now that the server's answer is known.
  private enum Standing {
    /// It is of the server's version, as far as can be told.
    case counts
    /// Nothing is in it, and what the manifest names is not what the server names: what comes is not to be taken for that.
    case isEmpty
    case isDamaged
    /// How that differs.
    case isOfAnotherVersion(String)

    /// Why nothing of it counts, as one clause; nil where it does.
    var whyNot: String? {
      switch self {
      case .counts: nil
      case .isEmpty: "nothing of it is intact, and the server names another version"
      case .isDamaged: "nothing of it is intact"
      case .isOfAnotherVersion(let how): how
      }
    }
  }

  /// Throws `remoteChanged` where the answer may be no file's at all.
  private func standing(of session: PartSession, _ answer: inout Probe.Answer) throws(DownloadError) -> Standing {
    let planned = session.manifest.validator
    if session.ledger.done > 0 { try doubtLength(planned, session, &answer) }
    let resource = answer.resource
    guard session.ledger.done > 0 else {
      guard planned != resource.validator else { return .counts }
      return differs(planned, resource).map { .isOfAnotherVersion($0) } ?? .isEmpty
    }
    guard !resource.isEncoded else { return .isOfAnotherVersion("its content coding differs") }
    if let how = otherLength(planned, resource) {
      // What servers in trouble send in place of the file is no reason to throw away what is here.
      let isBelieved = planned.isEmpty || !resource.validator.isEmpty || answer.isRefusal || isNewAddress
      guard isBelieved else { throw .nameless(request.url, part: session.part.shownName, how) }
      return .isOfAnotherVersion(how)
    }
    switch planned.matches(resource.validator) {
    case .changed(let how):
      // The server's GETs may name another version than its HEADs do, all the time.
      if let body = answer.body { pool.stop(body.transfer) }
      answer.body = nil
      guard try Sample(pool: pool, session: session, resource: resource).isNamedByGET() else {
        return try standing(of: session, from: resource, named: how)
      }
      answer.resource.validator = planned
      session.isSameVersion = true
      return .counts
    case .same: session.isSameVersion = true
    case .unknown: break
    }
    guard !session.isSameVersion || isNewAddress else { return .counts }
    // Without a validator that both have, or at a new address, a sample of what is here is compared. No other body
    // may come meanwhile: it would have to be kept in memory.
    if let body = answer.body { pool.stop(body.transfer) }
    answer.body = nil
    switch try Sample(pool: pool, session: session, resource: resource).compare() {
    case .same: break
    case .nothingIntact: return .isDamaged
    case .different(let how): return .isOfAnotherVersion(how)
    }
    // The answer may have named no version because it was a refusal (416): those that follow are compared with the part's.
    if resource.validator.isEmpty { answer.resource.validator = planned }
    return .counts
  }

  /// HEAD alone may be wrong about the length, as it may be about the version: before all that is here goes, a GET is
  /// asked, and what that says counts.
  private func doubtLength(
    _ planned: Validator, _ session: PartSession, _ answer: inout Probe.Answer
  ) throws(DownloadError) {
    guard answer.body == nil, !answer.isRefusal, !answer.resource.isEncoded, planned.length != nil,
      otherLength(planned, answer.resource) != nil
    else { return }
    var resource = answer.resource
    resource.validator = planned
    let sample = Sample(pool: pool, session: session, resource: resource, toldLength: answer.resource.length)
    guard let version = try sample.versionByGET() else { return }
    answer.resource.validator = version
  }

  /// What the part is worth at a new address whose server names another version of the same length; `how` it differs.
  /// An ETag is each server's own: what another server gives may be the same file all the same, and then bytes from all
  /// over what is here are the same. Another date says that it is not; only a digest is believed more.
  private func standing(
    of session: PartSession, from resource: Resource, named how: String
  ) throws(DownloadError) -> Standing {
    let manifest = session.manifest
    guard isNewAddress,
      let former = session.formerURL.flatMap({ try? URLParser.parse(typed: $0, allowing: .all) }),
      former.origin != sources.main.url.origin
    else { return .isOfAnotherVersion(how) }
    let (date, newDate) = (manifest.lastModified, resource.validator.lastModified)
    if case .changed(let how) = Validator(lastModified: date).matches(Validator(lastModified: newDate)),
      manifest.demandedDigests.isEmpty
    {
      return .isOfAnotherVersion("\(how); with its digest, by --sha256 HEX or the like, it is tried all the same")
    }
    switch try Sample(pool: pool, session: session, resource: resource).compareWidely() {
    case .nothingIntact: return .isDamaged
    case .different(let difference): return .isOfAnotherVersion(difference)
    case .same: break
    }
    onEvent(.message("\(how), but what was compared of \(session.part.shownName) is the same there: going on"))
    // The answers that follow, and later runs, are of the version as this server names it.
    session.keep(resource.validator)
    return .counts
  }

  private func otherLength(_ planned: Validator, _ resource: Resource) -> String? {
    guard let length = resource.length else { return "the server gives no length now" }
    return length == planned.length ? nil : "its length was \(planned.length ?? 0), is \(length)"
  }

  private func differs(_ planned: Validator, _ resource: Resource) -> String? {
    if planned.length != resource.length { return "its length differs" }
    if case .changed(let how) = planned.matches(resource.validator) { return how }
    return nil
  }
}
