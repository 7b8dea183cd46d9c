import DownloadCore

/// What is here of a file while it is fetched: its bytes, the ledger of them, and what is known of its version. Whether
/// any of that outlives the run is another matter.
class FetchSession {
  /// Where the bytes are.
  let store: any ByteStore
  private(set) var writer: PartWriter
  /// What is known of the file.
  var manifest: Manifest
  /// What an earlier run left and nobody has touched since: its segments need not be compared.
  let isTrusted: Bool
  /// Some of what an earlier run left is still to be compared with its checksums: until then the manifest must not say
  /// that nobody has touched the part since.
  var hasDoubts: Bool
  /// The server names the version that the part is of.
  var isSameVersion = false
  /// What is here is a content coding, which no range can be added to.
  var isEncoded = false
  /// What an earlier run left was thrown away.
  var isReplaced = false
  /// Where in the file bytes were here before this run; nil where nothing of that counts.
  private(set) var earlierMap: FileMap?
  /// What another server than the URL's own says names no version of it: the manifest keeps none.
  var isOfMirror = false
  /// What says which part of the file is wanted, and where it goes; nil: all of it.
  private let job: DownloadRequest?
  /// The first digest that an answer of this run announced of this version.
  var announcement: Announcement?

  /// `manifest` is what an earlier run left, checked and of what `job` wants, or an empty one.
  init(store: any ByteStore, manifest: Manifest, isTrusted: Bool, for job: DownloadRequest?) {
    self.store = store
    self.job = job
    self.manifest = manifest
    self.isTrusted = isTrusted
    hasDoubts = !isTrusted
    writer = PartWriter(part: store, ledger: manifest.ledger(combine: CRC32.combine))
    earlierMap = map
    earlierMap?.inheritAll()
  }

  /// The same as one that outlives the run; nil where it does not.
  var lasting: PartSession? { nil }
  /// The same as one whose bytes go to a sink; nil where they stay.
  var sink: SinkSession? { nil }

  /// Makes room for a file of this length.
  func prepare(length: Int64, reserving: Bool) throws(DownloadError) {}
  /// Reserves the next piece of the room. To be called again and again while the file is fetched.
  func reserveMore() throws(DownloadError) {}
  /// Saves what is known at once, without waiting for the disk.
  func saveAtOnce() throws(DownloadError) {}

  /// Begins again with another version: nothing that is here counts any more.
  ///
  /// Throws `refused` where that does not have the part that is wanted.
  func begin(_ resource: Resource) throws(DownloadError) {
    let wanted = try job?.wantedRange(in: resource.length, of: resource.url)
    manifest.range = wanted.map { Manifest.StoredRange($0) }
    manifest.offset = job?.outputOffset
    manifest.finished = nil
    manifest.known = nil
    keep(resource.validator)
    manifest.length = resource.length
    manifest.computed = [:]
    manifest.announced = nil
    announcement = nil
    earlierMap = nil
    isEncoded = resource.isEncoded
    hasDoubts = false
    isSameVersion = false
    writer = PartWriter(part: store, ledger: SegmentLedger(length: resource.length, combine: CRC32.combine))
  }
}

extension FetchSession {
  var ledger: SegmentLedger { writer.ledger }
  var lastModified: HTTPDate? { manifest.lastModified.flatMap { HTTPDate($0) } }

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
      do throws(DownloadError) { return try store.read(into: buffer, at: range.start) } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    return Array(bytes.prefix(count))
  }

  /// What the digests demanded do not prove of a file that came from this address; nil where there is nothing to say.
  func noteOnDigests(_ url: RemoteURL) -> String? {
    let demanded = manifest.demandedDigests
    guard url.isOpenToAll, !demanded.isEmpty, !demanded.contains(where: \.algorithm.resistsAttacks) else {
      return nil
    }
    let names = demanded.map(\.algorithm.rawValue).joined(separator: " and ")
    return "\(names) over plain \(url.scheme) shows damage, but does not stop an attacker"
  }
}
