import DownloadCore
import Glibc

/// The part file, its manifest and its ledger, as they belong together while a file is fetched.
final class PartSession {
  let part: PartFile
  let manifestFile: ManifestFile
  private(set) var writer: PartWriter
  private(set) var checkpoints: CheckpointWriter
  /// What may be claimed where the disk has failed us before the first checkpoint.
  private var claimable: [Manifest.StoredSegment]
  /// Where room is wanted that is not reserved yet.
  private var unreserved = ByteRange(0, 0)
  /// What goes into the manifest beside segments.
  var manifest: Manifest
  /// What an earlier run left and nobody has touched since: its segments need not be compared.
  let isTrusted: Bool
  /// Some of what an earlier run left is still to be compared with its checksums: until then the manifest must not say
  /// that nobody has touched the part since.
  var hasDoubts: Bool
  /// The server names the version that the part is of.
  var isSameVersion = false
  /// All of the file came, and a digest does not match.
  var isRefuted = false
  /// The address that an earlier run fetched from, as the manifest had it; nil where there was none.
  var formerURL: String?
  /// What another server than the URL's own says names no version of it: the manifest keeps none.
  var isOfMirror = false
  /// What is here is a content coding, which no range can be added to.
  var isEncoded = false
  /// What an earlier run left was thrown away.
  var isReplaced = false
  /// Where in the file bytes were here before this run; nil where nothing of that counts.
  private(set) var earlierMap: FileMap?
  /// What says which part of the file is wanted, and where it goes; nil: all of it.
  private let job: DownloadRequest?
  /// The first digest that an answer of this run announced of this version.
  var announcement: Announcement?

  /// `manifest` is what an earlier run left, checked and of what `job` wants, or an empty one.
  init(
    part: PartFile, manifestFile: ManifestFile, manifest: Manifest, isTrusted: Bool,
    for job: DownloadRequest? = nil, wakeup: Wakeup
  ) {
    self.part = part
    self.job = job
    self.manifestFile = manifestFile
    self.manifest = manifest
    self.isTrusted = isTrusted
    hasDoubts = !isTrusted
    claimable = manifest.segments
    writer = PartWriter(part: part, ledger: manifest.ledger(combine: CRC32.combine))
    checkpoints = CheckpointWriter(part: part, manifestFile: manifestFile, wakeup: wakeup)
    part.move(to: manifest.wanted?.start ?? 0)
    earlierMap = map
    earlierMap?.inheritAll()
  }

  var ledger: SegmentLedger { writer.ledger }
  var lastModified: HTTPDate? { manifest.lastModified.flatMap { HTTPDate($0) } }

  /// Gives the part the length of what is wanted, and room for it where that is wanted: the rest of that by
  /// `reserveMore`.
  func prepare(length: Int64, reserving: Bool) throws(DownloadError) {
    do throws(DownloadError) {
      unreserved = try part.prepare(length: length, reserving: reserving)
    } catch {
      // ext4 keeps what it had given before it ran out of room; the part's own cut frees what lies behind its end.
      part.release(missing.ranges)
      throw error
    }
  }

  /// Reserves the next piece of the room. To be called again and again while the file is fetched.
  func reserveMore() throws(DownloadError) { unreserved = try part.reserve(unreserved) }

  /// How far it is while nothing is under way.
  var progress: Progress {
    Progress(done: ledger.done, total: manifest.wanted?.count, rate: nil, connections: 0, map: map)
  }

  /// Where in what is wanted bytes are here.
  private var map: FileMap? {
    var map = earlierMap?.emptied ?? manifest.wanted.flatMap { FileMap(length: $0.count) }
    ledger.forEachRange { map?.add(shown($0)) }
    return map
  }

  /// The offset of the first byte that is wanted.
  var start: Int64 { manifest.range?.start ?? 0 }

  /// The offset behind the last byte that is wanted; `unknownEnd` where the length is not known.
  var end: Int64 { manifest.wanted?.end ?? unknownEnd }

  /// Where a range lies in what is wanted.
  func shown(_ range: ByteRange) -> ByteRange { ByteRange(range.start - start, range.end - start) }

  /// What is missing of a file of known length.
  var missing: ByteRangeSet { manifest.wanted.map { ledger.covered.gaps(in: $0) } ?? ByteRangeSet() }

  /// What of a whole body is not to be written: it is here, or it is not wanted.
  var unwritten: [ByteRange] {
    var set = ledger.covered
    set.insert(ByteRange(0, start))
    return set.ranges
  }

  var isComplete: Bool { manifest.wanted?.count == ledger.done }

  /// The manifest as it would be written now. Pieces that transfers have open must be committed before.
  func snapshot() throws(DownloadError) -> Manifest {
    var snapshot = manifest
    snapshot.part = try part.identity()
    snapshot.boot = hasDoubts ? nil : part.folder.system.boot
    snapshot.segments = []
    if manifest.length != nil, !isEncoded { snapshot.claim(ledger) }
    return snapshot
  }

  /// Writes the manifest at once, without waiting for the disk: the page cache outlives the process, and the boot
  /// identifier guards against the machine's own end.
  func saveAtOnce() throws(DownloadError) {
    try part.checkName()
    try manifestFile.save(try snapshot(), ticket: manifestFile.ticket(), synced: false)
  }

  /// After a failed sync nothing since the last checkpoint may be claimed, also where `saveAtOnce` has done so.
  func saveDurable() throws(DownloadError) {
    var durable = manifest
    durable.segments = claimable
    durable = checkpoints.durable ?? durable
    durable.computed = [:]
    // Of that, what was found to be damaged since does not count.
    let here = ledger.covered
    durable.segments.removeAll { !here.gaps(in: ByteRange($0.start, $0.end)).isEmpty }
    durable.claim(durable.ledger(combine: CRC32.combine))
    try part.checkName()
    try manifestFile.save(durable, ticket: manifestFile.ticket(), synced: false)
  }

  /// Whether the last checkpoint does not say all that there is to say.
  func hasChanged() throws(DownloadError) -> Bool { try checkpoints.durable != snapshot() }

  /// Lets the checkpoint thread write the manifest, after the data that it names.
  func saveInBackground() throws(DownloadError) { checkpoints.submit(try snapshot()) }

  /// The same when all is here and the data may take long to sync: a kill meanwhile is to cost nothing.
  func saveComplete() throws(DownloadError) { checkpoints.submit(try snapshot(), ahead: true) }

  /// Begins again with another version: nothing that is here counts any more, and the manifest says so before any
  /// byte is written.
  ///
  /// Throws `refused` where that does not have the part that is wanted.
  func begin(_ resource: Resource) throws(DownloadError) {
    let wanted = try job?.wantedRange(in: resource.length, of: resource.url)
    manifest.range = wanted.map { Manifest.StoredRange($0) }
    manifest.offset = job?.outputOffset
    manifest.finished = nil
    part.move(to: wanted?.start ?? 0)
    keep(resource.validator)
    manifest.length = resource.length
    manifest.computed = [:]
    manifest.announced = nil
    announcement = nil
    earlierMap = nil
    claimable = []
    isEncoded = resource.isEncoded
    hasDoubts = false
    // Of another version, which may be longer: its room would outlast the file's end.
    unreserved = ByteRange(0, 0)
    isSameVersion = false
    writer = PartWriter(part: part, ledger: SegmentLedger(length: resource.length, combine: CRC32.combine))
    // The manifest first: were it to go second, one that claims what is gone could outlive us.
    try saveAtOnce()
    try part.truncate(to: 0)
    checkpoints.forget()
  }

  /// Notes what names the version, if that is the URL's own server's.
  func keep(_ validator: Validator) {
    manifest.etag = isOfMirror ? nil : validator.etag
    manifest.lastModified = isOfMirror ? nil : validator.lastModified
  }

  /// Bytes that are here.
  func bytes(of range: ByteRange) throws(DownloadError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(range.count))
    var failure: DownloadError?
    let count = bytes.withUnsafeMutableBytes { buffer -> Int in
      do throws(DownloadError) { return try part.read(into: buffer, at: range.start) } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    return Array(bytes.prefix(count))
  }

  /// Leaves a manifest of the finished file beside it, durably: with the digests that were found to be right.
  func keepManifest(proved digests: [Digest]) throws(DownloadError) {
    var kept = try snapshot()
    kept.finished = true
    kept.digests = Manifest.write(digests)
    kept.computed = [:]
    kept.announced = nil
    kept.claim(ledger)
    try manifestFile.save(kept, ticket: manifestFile.ticket(), synced: true)
  }

  /// Removes both files. The part goes last: with it goes the lock that keeps others from making a manifest. Where the
  /// part's name is another file's, so is the manifest's.
  func discard() throws(DownloadError) {
    guard try part.isNamed() else { return }
    try manifestFile.remove()
    try part.discard()
  }

  /// Removes the manifest of the file that has its name, unless there is another run's part, whose manifest it is.
  func removeManifest() throws(DownloadError) {
    guard try !part.hasSuccessor() else { return }
    try manifestFile.remove()
  }
}
