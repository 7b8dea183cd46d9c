import DownloadCore

/// Mirrors: who is asked, and who is trusted with more than samples.
extension TransferLoop {
  /// More sources than this share no file better.
  private static var mostSources: Int { 6 }
  /// Seconds from look to look at what can be compared.
  private static var comparisonPause: Double { 0.05 }
  /// Samples that cannot all be compared are not waited for longer than this, in seconds: who would bring the rest is in
  /// trouble.
  private static var patience: Double { 3 }
  /// So long the first GET is waited for, whose answer counts more than HEAD's, in seconds.
  private static var headStart: Double { 1 }

  /// Begins with mirrors, and gives ranges to those that are seen to have the same file.
  ///
  /// Throws what ended the last source.
  func tendMirrors() throws(DownloadError) {
    guard sources.areSeveral, canShare, !scheduler.isComplete else { return }
    try engageMirrors()
    for mirror in sources.mirrors where mirror.standing == .compared { try ask(mirror) }
    excuseAhead()
    guard pool.now - comparedAt >= Self.comparisonPause, !digester.hasDoubts else { return }
    comparedAt = pool.now
    for mirror in sources.mirrors where mirror.isLive && !mirror.isProven && !mirror.samples.isEmpty {
      try compare(mirror)
    }
  }

  /// Whether others may fetch parts of the file: it comes in ranges, and is worth it. Without its main source anything is.
  private var canShare: Bool {
    guard canBeShared, let wanted = session.manifest.wanted else { return false }
    guard sources.main.isLive else { return true }
    // What a reader has taken is not here to be compared with: then a mirror only takes the place of the main source.
    guard pool.horizon == .max else { return false }
    return wanted.count >= MirrorSample.leastFile && (scheduler.mostConnections > 1 || isMainInTrouble)
  }

  /// Where there is one connection for all, others are asked when the main source fails again and again.
  private var isMainInTrouble: Bool { triesWithoutProgress >= 3 }

  /// Its length is known, and it comes in ranges.
  private var canBeShared: Bool { !scheduler.isStream && !takesOneResponse && resource.canBeSplit }

  private func engageMirrors() throws(DownloadError) {
    for mirror in sources.mirrors where mirror.standing == .unused {
      guard sources.live.count < min(Self.mostSources, max(scheduler.mostConnections, 2)) else { return }
      mirror.forget()
      mirror.standing = .compared
      mirror.index = scheduler.addSource(at: pool.now)
      mirror.heardAt = pool.now
      mirror.askedAt = mirror.askedAt ?? pool.now
      // Each piece shows who is right; a sample would only show that somebody is wrong.
      guard pieces == nil else {
        try trust(mirror)
        continue
      }
      chooseBlocks()
      onEvent(pool.trace("+ mirror \(mirror.url.redacted): comparing \(blocks.count) blocks"))
    }
  }

  private func chooseBlocks() {
    guard blocks.isEmpty, let wanted = session.manifest.wanted else { return }
    blocks = MirrorSample.blocks(
      of: wanted, here: session.ledger.covered, random: Double.random(in: 0..<1))
    scheduler.preferAtFirst(blocks)
  }

  /// Asks a mirror for blocks, into memory: over as many connections as it may have.
  private func ask(_ mirror: Source) throws(DownloadError) {
    // HEAD alone may be wrong about the length.
    guard hasAnswer || !sources.main.isLive || pool.now - beganAt >= Self.headStart else { return }
    if !mirror.samplers.isEmpty { try watch(mirror) }
    guard let index = mirror.index, pool.now >= mirror.notBefore else { return }
    let places = scheduler.placesToCompare(index, at: pool.now)
    let first = scheduler.firstSlot(of: index)
    for surplus in mirror.samplers.values where surplus.slot >= first + places { stopSampling(surplus, of: mirror) }
    for block in blocks where mirror.samples[block] == nil && mirror.samplers[block] == nil {
      guard let slot = (first..<first + places).first(where: { pool.transfers[$0] == nil }) else { return }
      sample(block, of: mirror, in: slot, at: mirror.currentURL, redirects: 0)
    }
  }

  func sample(
    _ block: ByteRange, of mirror: Source, in slot: RangeScheduler.Slot, at url: RemoteURL, redirects: Int
  ) {
    let request = request(for: block, from: mirror, at: url)
    onEvent(pool.trace(slot, TraceText.request(request)))
    if mirror.samplers.isEmpty { mirror.heardAt = pool.now }
    let sampler = pool.start(request, slot: slot, redirects: redirects, mirror: mirror)
    sampler.isSample = true
    scheduler.reserve(slot)
    mirror.samplers[block] = sampler
  }

  private func stopSampling(_ sampler: Transfer, of mirror: Source) {
    pool.stop(sampler)
    scheduler.release(sampler.slot, isWarm: false)
    mirror.samplers[sampler.request.wanted] = nil
  }

  private func watch(_ mirror: Source) throws(DownloadError) {
    if mirror.samplers.values.contains(where: pool.isHeldBack) { mirror.heardAt = pool.now }
    guard pool.now - mirror.heardAt >= job.timeouts.stall else { return }
    try drop(mirror, "no answer for \(Int(job.timeouts.stall.rounded(.up))) s", .network)
  }

  /// What a mirror is asked for: a part of the file's length, of the mirror's own version, and nothing else.
  func request(for range: ByteRange, from mirror: Source, at url: RemoteURL) -> TransferRequest {
    var request = TransferRequest(url: url, range: range, wanted: range)
    request.takesPartsOnly = true
    request.length = resource.length
    request.validator = mirror.validator
    request.isBinding = mirror.validator != nil
    return request
  }

  /// A block has come.
  func took(_ sampler: Transfer, of mirror: Source) throws(DownloadError) {
    guard let head = sampler.head, let length = resource.length else { return }
    let validator = Validator(head: head, length: length)
    if case .changed(let how)? = mirror.validator?.matches(validator) {
      return try drop(mirror, "its version changes from answer to answer: \(how)", .remoteChanged)
    }
    mirror.samples[sampler.request.wanted] = sampler.body
    mirror.validator = mirror.validator ?? validator
    mirror.currentURL = sampler.request.url
    mirror.sampledAt = pool.now
  }
}

// What the blocks say.
extension TransferLoop {
  private func hasAllSamples(_ mirror: Source) -> Bool { blocks.allSatisfy { mirror.samples[$0] != nil } }

  private func compare(_ mirror: Source) throws(DownloadError) {
    for transfer in pool.transfers.values { transfer.commit() }
    let here = session.ledger.covered
    var compared: Int64 = 0
    var isWhole = hasAllSamples(mirror)
    for (block, bytes) in mirror.samples {
      let sampled = ByteRange(block.start, block.start + Int64(bytes.count))
      let missing = here.gaps(in: sampled)
      for range in missing.gaps(in: sampled).ranges {
        let theirs = bytes[Int(range.start - block.start)..<Int(range.end - block.start)]
        guard try session.bytes(of: range).elementsEqual(theirs) else { return try disagree(mirror) }
        compared += range.count
      }
      isWhole = isWhole && missing.isEmpty
    }
    mirror.isProven = isWhole
    let isOverdue = !sources.main.isLive || pool.now - mirror.sampledAt >= Self.patience
    let isEnough = compared >= MirrorSample.leastCompared || session.ledger.done == 0
    guard isWhole || (hasAllSamples(mirror) && isOverdue && isEnough) else { return }
    try trust(mirror)
  }

  private func trust(_ mirror: Source) throws(DownloadError) {
    guard mirror.standing == .compared, let index = mirror.index else { return }
    mirror.standing = .trusted
    scheduler.open(index, latency: mirror.latency)
    try takeAhead(from: mirror)
    onEvent(pool.trace("+ mirror \(mirror.url.redacted): the same file, it fetches from now on"))
  }

  /// Its bytes are not those that are here: it is dropped, unless another mirror has the very same ones. Then what is
  /// here, which comes from one source, is what is wrong.
  private func disagree(_ mirror: Source) throws(DownloadError) {
    mirror.disagrees = true
    stopAhead(mirror)
    guard mirror.standing == .compared else { return try dropLiar(mirror) }
    let others = sources.mirrors.filter { $0 !== mirror && $0.isLive }
    guard !others.contains(where: { $0.standing == .trusted && $0.isProven }) else { return try dropLiar(mirror) }
    // Until it is known what the others have, this one waits.
    guard hasAllSamples(mirror) else { return }
    // Addresses of one server are one voice. Where there is a digest, that has the last word, and not the most voices.
    let allies = others.filter {
      hasAllSamples($0) && $0.samples == mirror.samples && $0.url.origin != mirror.url.origin
    }
    guard allies.isEmpty || !session.manifest.demandedDigests.isEmpty else { return try believe([mirror] + allies) }
    guard others.allSatisfy(hasAllSamples) else { return }
    try dropLiar(mirror)
  }

  private func dropLiar(_ mirror: Source) throws(DownloadError) {
    let brought = mirror.brought.ranges
    try drop(mirror, "it serves another file of the same length", .remoteChanged)
    for range in brought { try fetchAgain(range, avoiding: nil) }
  }

  /// Begins again without the source that all the others contradict.
  private func believe(_ agreeing: [Source]) throws(DownloadError) {
    let liar = sources.main
    let count = agreeing.count
    if liar.isLive { lose(liar, "it serves another file than \(count) mirrors, which agree with each other") }
    onEvent(.restarted("what came from \(liar.url.redacted) is not what \(count) mirrors have: beginning again"))
    session.isOfMirror = true
    var resource = resource
    resource.validator = Validator(length: resource.length)
    resource.lastModified = agreeing[0].validator?.lastModified.flatMap { HTTPDate($0) }
    resource.announced = AnnouncedDigests()
    try restart(resource, asStream: false, keepingMirrors: true)
    for mirror in agreeing {
      mirror.isProven = true
      try trust(mirror)
    }
  }
}
