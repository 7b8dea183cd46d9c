import DownloadCore
import Glibc

/// A file that may be damaged, and what tells which of its blocks are.
final class DoubtedFile {
  /// What one reading has shown.
  struct Findings {
    /// Blocks that are as they were, with offsets of the file at the server.
    var good: [Segment] = []
    /// In the order of what is expected.
    var digests: [Digest] = []
  }

  let shown: String
  /// What was kept beside the file; nil: nothing.
  let manifest: Manifest?
  /// The digests that the file must have; empty: each block must have its checksum.
  let expected: [Digest]
  private let pieces: PieceDigests?
  private let request: DownloadRequest
  private let folder: Folder
  private let name: String
  private let status: FileStatus
  private let manifestFile: ManifestFile

  /// Throws `local` where there is no such file, or none that is ours alone.
  init(in folder: Folder, name: String, for request: DownloadRequest) throws(DownloadError) {
    self.folder = folder
    self.name = name
    self.request = request
    shown = folder.shown(name)
    guard let status = try folder.status(of: name) else { throw .local("read", shown, Errno.notFound) }
    guard status.kind == .regular else { throw .leftAlone(shown, "is no regular file") }
    guard status.links <= 1 else { throw .leftAlone(shown, "has a second name (hard link)") }
    self.status = status
    manifestFile = ManifestFile(folder: folder, name: name)
    let found = try? manifestFile.load()?.get()
    manifest = found?.offset == nil && found?.length != nil ? found : nil
    expected = request.digests.isEmpty ? manifest?.demandedDigests ?? [] : request.digests
    pieces = manifest == nil && request.knownLength != nil ? request.pieces : nil
  }

  /// The whole file's, at the server; nil where nothing tells.
  var length: Int64? { manifest?.length ?? request.knownLength }

  /// The bytes of that which this file is.
  private var wanted: ByteRange? { manifest?.wanted ?? length.map { ByteRange(0, $0) } }

  func isRight(_ findings: Findings) -> Bool {
    guard expected.isEmpty else { return findings.digests == expected }
    return isIntact(findings) && status.size == wanted?.count
  }

  /// Each block is as it was, and there is nothing else.
  private func isIntact(_ findings: Findings) -> Bool {
    wanted.map { wanted in findings.good.reduce(0) { $0 + $1.range.count } == wanted.count } ?? false
  }

  /// All is as it was, and more is behind it: that can be cut off without anybody's help.
  func isOnlyTooLong(_ findings: Findings) -> Bool { isIntact(findings) && status.size > wanted?.count ?? .max }

  /// Throws where nothing tells what is damaged, or nothing is.
  func checkRepair(_ findings: Findings) throws(DownloadError) {
    guard wanted != nil, manifest != nil || pieces != nil else {
      throw .nothingToRepairBy(shown, "there is no \(shown)\(ManifestFile.suffix) that tells which bytes are damaged")
    }
    try checkManifest(findings)
    if isIntact(findings), status.size == wanted?.count,
      let digest = expected.first(where: { !findings.digests.contains($0) })
    {
      let got = findings.digests.first { $0.algorithm == digest.algorithm }
      throw .repairedInVain(shown, expected: digest, got: got)
    }
    guard try folder.status(of: name + PartFile.suffix) == nil else {
      throw DownloadError(
        .manifestUnusable,
        "cannot repair \(shown): \(shown)\(PartFile.suffix) is here, of another run; finish it with swoop resume, or "
          + "remove it")
    }
  }
}

extension DoubtedFile {
  /// Throws where the manifest is plainly not this file's: then nothing says what is damaged.
  private func checkManifest(_ findings: Findings) throws(DownloadError) {
    guard let manifest, status.size > 0 else { return }
    let isItsOwn =
      manifest.part.map { $0.device == status.identity.device && $0.inode == status.identity.inode } ?? false
    // An inode's number is given to another file when the first is gone.
    let isDamaged = isItsOwn && status.size == wanted?.count
    let isOfLess = status.size > wanted?.count ?? 0 && manifest.range != nil && !isItsOwn
    guard isDamaged || (!findings.good.isEmpty && !isOfLess) else {
      let manifest = shown + ManifestFile.suffix
      guard findings.good.isEmpty, let count = wanted?.count, count != status.size else {
        throw .nothingToRepairBy(shown, "\(manifest) is of another file")
      }
      throw .nothingToRepairBy(
        shown, "it has \(status.size) bytes where \(manifest) speaks of \(count), and no block of it is intact")
    }
  }
}

/// Reading it.
extension DoubtedFile {
  /// A run of bytes, in the offsets of this file, and what it must have; nothing for one of which nothing is known.
  private struct Block {
    let range: ByteRange
    var crc32: UInt32?
    var digest: Digest?
  }

  /// Throws `interrupted`, `locked` where another process is at work on the file, and `local`.
  func read(_ signals: SignalSource, _ onEvent: @escaping (DownloadEvent) -> Void) throws(DownloadError) -> Findings {
    let file = try open()
    let digests = try HeldDigests(expected.map(\.algorithm))
    let reader = PieceReader()
    var clock = MonotonicClock()
    let meter = ProgressReporter(total: status.size, at: clock.now(), onEvent: onEvent)
    var findings = Findings()
    for block in blocks {
      var crc: UInt32 = 0
      let own = try HeldDigests([block.digest?.algorithm].compactMap(\.self))
      try reader.read(block.range, base: 0, of: file, shown) { bytes, offset throws(DownloadError) in
        crc = CRC32.update(crc, bytes)
        own.update(bytes)
        digests.update(bytes)
        meter.verifying(offset + Int64(bytes.count), of: status.size, at: clock.now())
        if let signal = signals.pending() { throw .interrupted(signal) }
      }
      let isGood = block.crc32.map { $0 == crc } ?? (block.digest.map { [$0] } == own.finish())
      if isGood { findings.good.append(Segment(atServer(block.range), crc32: crc)) }
    }
    findings.digests = digests.finish()
    return findings
  }

  private func atServer(_ range: ByteRange) -> ByteRange {
    let base = manifest?.base ?? 0
    return ByteRange(range.start + base, range.end + base)
  }

  private func open() throws(DownloadError) -> FileDescriptor {
    do throws(Errno) {
      guard let file = try folder.open(name, O_RDONLY) else { throw Errno.notFound }
      do throws(Errno) { try file.lock(.whole) } catch {
        if error.code == EWOULDBLOCK { throw error }
      }
      return file
    } catch {
      if error.code == EWOULDBLOCK { throw .locked(shown) }
      throw .local("read", shown, error)
    }
  }

  /// All of the file, in its order.
  private var blocks: [Block] {
    var blocks: [Block] = []
    var end: Int64 = 0
    for block in known where block.range.end <= status.size {
      if block.range.start > end { blocks.append(Block(range: ByteRange(end, block.range.start))) }
      blocks.append(block)
      end = block.range.end
    }
    if end < status.size { blocks.append(Block(range: ByteRange(end, status.size))) }
    return blocks
  }

  /// Those of which something is known, ascending.
  private var known: [Block] {
    if let manifest {
      return manifest.segments.map {
        Block(range: ByteRange($0.start - manifest.base, $0.end - manifest.base), crc32: $0.checksum)
      }
    }
    guard let pieces, let total = request.knownLength else { return [] }
    let count = min(pieces.digests.count, Int((total + pieces.length - 1) / pieces.length))
    return (0..<count).map { Block(range: pieces.range(of: $0, total: total), digest: pieces.digests[$0]) }
  }
}

/// What it is called.
extension DoubtedFile {
  /// Makes it a part of which the good blocks are claimed. The manifest comes first: one that claims too little does no
  /// harm. `resource`: what the server has, if it was asked.
  func becomePart(_ findings: Findings, of resource: Resource?) throws(DownloadError) {
    var part = manifest ?? Manifest(url: request.url.withoutSecrets)
    if manifest == nil {
      part.length = length
      part.etag = resource?.validator.etag
      part.lastModified = resource?.validator.lastModified
    }
    part.finished = nil
    let good = Set(findings.good.map(\.range))
    part.known = manifest?.segments.filter { !good.contains(ByteRange($0.start, $0.end)) }
    part.digests = Manifest.write(expected)
    part.computed = [:]
    part.part = status.identity
    part.boot = folder.system.boot
    var ledger = SegmentLedger(length: part.length, combine: CRC32.combine)
    for segment in findings.good { ledger.add(segment) }
    part.claim(ledger)
    try manifestFile.save(part, ticket: manifestFile.ticket(), synced: true)
    do throws(Errno) {
      try folder.rename(name, to: name + PartFile.suffix, replacing: false)
    } catch {
      restoreManifest()
      throw .local("rename", shown, error)
    }
  }

  /// Where nothing was written, the file gets its name back.
  func becomeFileAgain() {
    let part = name + PartFile.suffix
    guard let now = try? folder.status(of: part), now.identity == status.identity, now.size == status.size,
      (try? folder.rename(part, to: name, replacing: false)) != nil
    else { return }
    restoreManifest()
  }

  private func restoreManifest() {
    guard let manifest else { return _ = try? manifestFile.remove() }
    _ = try? manifestFile.save(manifest, ticket: manifestFile.ticket(), synced: true)
  }
}
