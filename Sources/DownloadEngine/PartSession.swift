import DownloadCore
import Glibc

/// The part file, its manifest and its ledger, as they belong together while a file is fetched: what outlives the run.
final class PartSession: FetchSession {
  let part: PartFile
  let manifestFile: ManifestFile
  private(set) var checkpoints: CheckpointWriter
  /// What may be claimed where the disk has failed us before the first checkpoint.
  private var claimable: [Manifest.StoredSegment]
  /// Where room is wanted that is not reserved yet.
  private var unreserved = ByteRange(0, 0)
  /// All of the file came, and a digest does not match.
  var isRefuted = false
  /// The address that an earlier run fetched from, as the manifest had it; nil where there was none.
  var formerURL: String?

  /// `manifest` is what an earlier run left, checked and of what `job` wants, or an empty one.
  init(
    part: PartFile, manifestFile: ManifestFile, manifest: Manifest, isTrusted: Bool,
    for job: DownloadRequest? = nil, wakeup: Wakeup
  ) {
    self.part = part
    self.manifestFile = manifestFile
    claimable = manifest.segments
    checkpoints = CheckpointWriter(part: part, manifestFile: manifestFile, wakeup: wakeup)
    part.move(to: manifest.wanted?.start ?? 0)
    super.init(store: part, manifest: manifest, isTrusted: isTrusted, for: job)
  }

  override var lasting: PartSession? { self }

  /// Gives the part the length of what is wanted, and room for it where that is wanted: the rest of that by
  /// `reserveMore`.
  override func prepare(length: Int64, reserving: Bool) throws(DownloadError) {
    do throws(DownloadError) {
      unreserved = try part.prepare(length: length, reserving: reserving)
    } catch {
      // ext4 keeps what it had given before it ran out of room; the part's own cut frees what lies behind its end.
      part.release(missing.ranges)
      throw error
    }
  }

  /// Reserves the next piece of the room. To be called again and again while the file is fetched.
  override func reserveMore() throws(DownloadError) { unreserved = try part.reserve(unreserved) }

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
  override func saveAtOnce() throws(DownloadError) {
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
  override func begin(_ resource: Resource) throws(DownloadError) {
    try super.begin(resource)
    part.move(to: start)
    claimable = []
    // Of another version, which may be longer: its room would outlast the file's end.
    unreserved = ByteRange(0, 0)
    // The manifest first: were it to go second, one that claims what is gone could outlive us.
    try saveAtOnce()
    try part.truncate(to: 0)
    checkpoints.forget()
  }

  /// Leaves a manifest of the finished file beside it, durably: with the digests that were found to be right.
  func keepManifest(proved digests: [Digest]) throws(DownloadError) {
    var kept = try snapshot()
    kept.finished = true
    kept.known = nil
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
