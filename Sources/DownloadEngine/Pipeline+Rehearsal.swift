import DownloadCore

/// What a dry run would do: everything is asked and looked at, nothing is fetched or changed.
extension Pipeline {
  func rehearse() throws(DownloadError) -> DownloadReport {
    let folder = try Folder.openIfThere(request.target.folder, in: files)
    if let folder, let report = try provenComplete(folder, likelyName) { return report }
    let resource = try withAnySource { () throws(DownloadError) in
      try Probe(
        pool, source: sources.main.url, hasAlternative: sources.hasOthers(than: sources.main), gap: request.firstGap,
        mayGoAhead: false, onEvent: onEvent
      ).run().from(sources).resource
    }
    pool.stopAll()
    let name = name(of: resource)
    if let folder, let report = try existing(folder, name, resource) { return report }
    try request.checkSize(of: resource)
    let wanted = try request.wantedRange(in: resource.length, of: resource.url)
    let length = wanted?.count ?? resource.length
    try checkPlace(folder, name, length)
    let here = folder == nil ? ByteRangeSet() : try present(folder!, name, resource)
    let plan = Plan(resource, present: here, wanted: wanted, for: request)
    let path = Folder.shown(name, in: request.target.folder)
    var report = DownloadReport(outcome: .planned, path: path, bytes: length ?? 0)
    report.lengthIsKnown = length != nil
    report.plan = plan.summary(from: resource.url, mirrors: sources.mirrors.count(where: \.isAtHand), to: path)
    report.sources = sources.report(ofLength: 0, resumed: 0)
    return report
  }

  /// Throws `local` where a real run would, before it fetches anything: for a folder that no file can be made in, and a
  /// disk without room.
  private func checkPlace(_ folder: Folder?, _ name: String, _ length: Int64?) throws(DownloadError) {
    let place: Folder
    if let folder { place = folder } else { place = try Folder.openNearest(request.target.folder, in: files) }
    try place.checkAccess()
    guard let length, request.place == nil, let free = place.freeSpace else { return }
    let allocated = try folder?.status(of: name + PartFile.suffix)?.allocated ?? 0
    guard length - allocated > free else { return }
    let path = Folder.shown(name, in: request.target.folder)
    throw .noRoom(path, needed: ByteCount(length - allocated), free: ByteCount(free))
  }

  /// What a real run would find here already, as far as it would count.
  private func present(
    _ folder: Folder, _ name: String, _ resource: Resource
  ) throws(DownloadError) -> ByteRangeSet {
    let manifestFile = ManifestFile(folder: folder, name: request.stem(of: name))
    let partName = request.place == nil ? name + PartFile.suffix : name
    guard !request.restarts, let part = try folder.status(of: partName),
      case .success(var manifest)? = try manifestFile.load()
    else { return ByteRangeSet() }
    guard manifest.finished != true || request.place != nil else { return ByteRangeSet() }
    try checkSource(of: manifest, folder.shown(partName))
    if case .changed = manifest.validator.matches(resource.validator) { return ByteRangeSet() }
    guard manifest.length == resource.length, manifest.length != nil else { return ByteRangeSet() }
    let base = manifest.base
    manifest.segments.removeAll { $0.end - base > part.size }
    return manifest.ledger(combine: CRC32.combine).covered
  }
}
