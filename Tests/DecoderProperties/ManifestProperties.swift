internal import DownloadCore
internal import DownloadEngine

/// A manifest that is accepted keeps every rule of the format, can be saved again, and makes a ledger.
enum ManifestProperties {
  static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
    guard let manifest = try? ManifestJSON.read(bytes) else { return }
    try checkRules(manifest)
    try checkSave(manifest)
    try checkLedger(manifest)
  }

  private static func checkRules(_ manifest: Manifest) throws(BrokenProperty) {
    try require(manifest.version == 1, "version \(manifest.version)")
    let length = manifest.length ?? 0
    try require(0 <= length && length <= 1 << 60, "length \(length)")
    try checkRange(manifest, length)
    var end = manifest.wanted?.start ?? 0
    for segment in manifest.segments {
      try require(
        end <= segment.start && segment.start < segment.end && segment.end <= manifest.wanted?.end ?? 0,
        "\(segment) behind \(end)")
      try require(segment.crc32.utf8.count == 8 && segment.checksum != nil, "\(segment)")
      end = segment.end
    }
    if let part = manifest.announcedPart {
      try require(0 <= part.start && part.start < part.end && part.end <= 1 << 60, "a digest of \(part)")
    }
    try checkTexts(manifest)
  }

  /// What is wanted lies in the file, and what is put into a place has a place that a file can have.
  private static func checkRange(_ manifest: Manifest, _ length: Int64) throws(BrokenProperty) {
    guard let range = manifest.range else {
      return try require(manifest.offset == nil && manifest.base == 0, "an offset of no range: \(manifest)")
    }
    try require(0 <= range.start && range.start < range.end && range.end <= length, "a range \(range) of \(length)")
    let offset = manifest.offset ?? 0
    let (end, overflows) = offset.addingReportingOverflow(range.end - range.start)
    try require(offset >= 0 && !overflows && end <= 1 << 60, "\(range) at \(offset)")
    try require(range.start - manifest.base == offset, "\(range) at \(offset), not at \(range.start - manifest.base)")
    let count = manifest.segments.reduce(0) { $0 + $1.end - $1.start }
    try require(manifest.isComplete == (count == range.end - range.start), "complete or not: \(manifest)")
  }

  private static func checkTexts(_ manifest: Manifest) throws(BrokenProperty) {
    try require(manifest.url.utf8.count <= 1 << 16, "a URL of \(manifest.url.utf8.count) bytes")
    for text in [manifest.etag, manifest.lastModified, manifest.boot, manifest.part?.modified] {
      try require((text ?? "").utf8.count <= 1024, "a text of more than 1 KiB")
    }
    for (name, hex) in Array(manifest.digests) + Array(manifest.computed) {
      let length = DigestAlgorithm(rawValue: name)?.length
      try require(length == hex.utf8.count / 2 && hex.utf8.allSatisfy { $0.hexValue != nil }, "\(name): \(hex)")
    }
  }

  /// What is saved is what was read, byte for byte from then on.
  private static func checkSave(_ manifest: Manifest) throws(BrokenProperty) {
    guard let saved = ManifestJSON.bytes(of: manifest) else { throw BrokenProperty("cannot be saved: \(manifest)") }
    guard let again = try? ManifestJSON.read(saved) else { throw BrokenProperty("unreadable as saved: \(manifest)") }
    try require(again == manifest && ManifestJSON.bytes(of: again) == saved, "\(manifest) came back as \(again)")
  }

  private static func checkLedger(_ manifest: Manifest) throws(BrokenProperty) {
    let ledger = manifest.ledger(combine: { $0 ^ $1 ^ UInt32(truncatingIfNeeded: $2) })
    let count = manifest.segments.reduce(0) { $0 + $1.end - $1.start }
    try require(ledger.done == count, "\(ledger.done) of \(count) bytes in the ledger")
    var claimed = manifest
    claimed.claim(ledger)
    guard (try? claimed.validate()) != nil else { throw BrokenProperty("a claim against the rules: \(claimed)") }
    let claims = claimed.segments.reduce(0) { $0 + $1.end - $1.start }
    try require(claims == count || claimed.segments.count >= 256, "\(claims) of \(count) bytes claimed")
    try checkSize(claimed)
  }

  /// As long as its address needs no escapes, as those of a URL parser do not.
  private static func checkSize(_ manifest: Manifest) throws(BrokenProperty) {
    guard manifest.url.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7f }) else { return }
    let size = ManifestJSON.bytes(of: manifest)?.count ?? 0
    try require(size <= Manifest.mostBytesWritten, "a manifest of \(size) bytes")
  }
}
