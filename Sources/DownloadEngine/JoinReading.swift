import DownloadCore

/// The one reading of all parts, in the order of the file: checksums, digests, and how far it is.
final class JoinReading {
  let cover: PartCover
  /// Of all that was read.
  private(set) var crc32: UInt32 = 0
  private let digests: HeldDigests
  private var ledger: SegmentLedger
  private var done: Int64 = 0
  private let reader = PieceReader()
  private let signals: SignalSource
  private let meter: ProgressReporter
  private var clock = MonotonicClock()

  /// Throws `usage` where an algorithm is not to be had.
  init(
    of cover: PartCover, _ algorithms: [DigestAlgorithm], _ signals: SignalSource,
    _ onEvent: @escaping (DownloadEvent) -> Void
  ) throws(DownloadError) {
    self.cover = cover
    self.signals = signals
    digests = try HeldDigests(algorithms)
    ledger = SegmentLedger(length: cover.whole.length, combine: CRC32.combine)
    meter = ProgressReporter(total: cover.whole.length, at: clock.now(), onEvent: onEvent)
  }

  /// Reads a part, and hands on what was read with its offset in the whole file.
  ///
  /// Throws `digestMismatch` where a segment does not have its checksum, `interrupted`, and what `use` throws.
  func read(
    _ part: PartCover.Part, from file: borrowing FileDescriptor,
    _ use: (UnsafeRawBufferPointer, Int64) throws(DownloadError) -> Void
  ) throws(DownloadError) {
    for stored in part.manifest.segments {
      let range = ByteRange(stored.start, stored.end)
      var crc: UInt32 = 0
      try reader.read(range, base: part.manifest.base, of: file, part.shown) { bytes, offset throws(DownloadError) in
        crc = CRC32.update(crc, bytes)
        digests.update(bytes)
        try use(bytes, offset)
        try note(bytes.count)
      }
      guard crc == stored.checksum else { throw .damagedPart(part, range) }
      crc32 = CRC32.combine(crc32, crc, range.count)
      ledger.add(Segment(range, crc32: crc))
    }
  }

  private func note(_ count: Int) throws(DownloadError) {
    done += Int64(count)
    meter.verifying(done, of: cover.whole.length ?? done, at: clock.now())
    if let signal = signals.pending() { throw .interrupted(signal) }
  }

  /// What a manifest of the whole says. Throws `digestMismatch` where that does not have all of the digests.
  func finish(_ path: String, expecting expected: [Digest]) throws(DownloadError) -> Manifest {
    let found = digests.finish()
    for digest in expected where !found.contains(digest) {
      throw .joinedMismatch(path, expected: digest, got: found.first { $0.algorithm == digest.algorithm })
    }
    var whole = cover.whole
    whole.digests = Manifest.write(expected)
    whole.claim(ledger)
    return whole
  }
}
