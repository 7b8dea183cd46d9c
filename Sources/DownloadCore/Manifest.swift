/// What `NAME.part.json` says of the partial file beside it.
///
/// It is untrusted input: what comes out of a decoder counts only after `validate()`.
package struct Manifest: Codable, Hashable, Sendable {
  /// The format that is written, and the only one that is read.
  package static let currentVersion = 1
  /// The largest manifest that is read, in bytes.
  package static let mostBytes = 16 << 20
  private static let mostSegments = 1 << 14
  /// More than any file system holds; sums of two such lengths do not overflow.
  package static let mostLength: Int64 = 1 << 60

  /// The format; only `currentVersion` can be used.
  package var version = Manifest.currentVersion
  /// The URL as typed, without user info, fragment and secret query values.
  package var url: String
  /// Set where secret query values were left out of `url`.
  package var urlIncomplete: Bool?
  /// In bytes; nil where the server did not tell.
  package var length: Int64?
  /// As `Validator.etag`.
  package var etag: String?
  /// As `Validator.lastModified`.
  package var lastModified: String?
  /// The part of the file that is wanted, of which the file beside this holds nothing else; nil: all of it.
  package var range: StoredRange?
  /// Where in the file beside this the first byte of `range` is put, among bytes that are none of this manifest's
  /// business; nil: that file is all of this manifest's.
  package var offset: Int64?
  /// What ranges had that were found to be damaged of a finished file, and are fetched again; nil: nothing is known.
  package var known: [StoredSegment]?
  /// Set where all is complete and proved, and this stays beside the finished file because that was wanted.
  package var finished: Bool?
  /// Completed ranges, ascending and disjoint.
  package var segments: [StoredSegment] = []
  /// The digests demanded: algorithm to hexadecimal.
  package var digests: [String: String] = [:]
  /// Set where all that is known of `digests` came over plain http.
  package var digestsUnauthenticated: Bool?
  /// The digest that the server announced of this version, in the same form; nil where it announced none.
  package var announced: [String: String]? { didSet { announcedPart = nil } }
  /// What of the file came with `announced`, whose digest that may be; nil: all of it, or nothing. A new `announced`
  /// takes it away. A file that turned out shorter than the server said may end before it.
  package var announcedPart: StoredRange?
  /// Digests computed of the complete part, where they are not what was expected: believed while `part` and `boot`
  /// agree. Before they were written the part was compared with its checksums.
  package var computed: [String: String] = [:]
  /// The part file as it was when this was written.
  package var part: PartIdentity?
  /// The kernel's boot identifier (random(4), `/proc/sys/kernel/random/boot_id`).
  package var boot: String?
  /// The CRC-32 of the manifest as it is written without this, in eight hexadecimal digits.
  package var checksum: String?

  /// A manifest of a file of which nothing is known; `url` is without secrets already.
  package init(url: String) { self.url = url }

  /// A completed range and its checksum, as they are stored.
  package struct StoredSegment: Codable, Hashable, Sendable {
    /// The offset of the first byte.
    package var start: Int64
    /// The offset behind the last byte.
    package var end: Int64
    /// Eight hexadecimal digits.
    package var crc32: String
  }

  /// A range as it is stored.
  package struct StoredRange: Codable, Hashable, Sendable {
    /// The offset of the first byte.
    package var start: Int64
    /// The offset behind the last byte.
    package var end: Int64

    /// The range as it is stored.
    package init(_ range: ByteRange) { (start, end) = (range.start, range.end) }

    /// What is stored; only of a checked manifest.
    package var range: ByteRange { ByteRange(start, end) }
  }

  /// What tells whether the part was touched since: stat(2).
  package struct PartIdentity: Codable, Hashable, Sendable {
    /// The device's number, `st_dev`.
    package var device: UInt64
    /// The inode's number, `st_ino`.
    package var inode: UInt64
    /// Seconds and nanoseconds, `1700000000.123456789`.
    package var modified: String

    /// Takes the values as stat(2) gives them.
    package init(device: UInt64, inode: UInt64, modified: String) {
      self.device = device
      self.inode = inode
      self.modified = modified
    }
  }
}

/// Why a manifest cannot be used.
package enum ManifestProblem: Error, Hashable, Sendable {
  /// Written by another version of swoop: the files are kept.
  case version(Int)
  /// Unreadable, empty or against the rules: as if there were none.
  case malformed(String)
}

extension Manifest {
  /// Checks every rule of the format: `0 <= start < end <= length`, ascending, disjoint, sane texts.
  package func validate() throws(ManifestProblem) {
    guard version == Self.currentVersion else { throw .version(version) }
    guard (0...Self.mostLength).contains(length ?? 0) else { throw .malformed("a length that no file has") }
    guard segments.count <= Self.mostSegments else { throw .malformed("too many segments") }
    guard length != nil || segments.isEmpty else { throw .malformed("segments of a file without a length") }
    try validateRange()
    var end = range?.start ?? 0
    for segment in segments {
      guard segment.start >= end, segment.end > segment.start, segment.end <= wanted?.end ?? 0 else {
        throw .malformed("segments that overlap, or lie outside the file")
      }
      guard segment.checksum != nil else { throw .malformed("a CRC-32 that is none") }
      end = segment.end
    }
    try validateKnown()
    guard [digests, computed, announced ?? [:]].allSatisfy({ Self.read($0) != nil }) else {
      throw .malformed("a digest that is none")
    }
    if let range = announcedPart, range.start < 0 || range.end <= range.start || range.end > Self.mostLength {
      throw .malformed("a range that no file has")
    }
    let texts = [etag, lastModified, boot, part?.modified].compactMap { $0?.utf8.count }
    guard texts.allSatisfy({ $0 <= 1024 }), url.utf8.count <= 1 << 16 else { throw .malformed("a text too long") }
  }

  private func validateKnown() throws(ManifestProblem) {
    var end = range?.start ?? 0
    for segment in known ?? [] {
      guard segment.start >= end, segment.end > segment.start, segment.end <= wanted?.end ?? 0,
        segment.checksum != nil
      else { throw .malformed("checksums of what the file does not have") }
      end = segment.end
    }
    guard known?.count ?? 0 <= Self.mostSegments else { throw .malformed("too many segments") }
  }

  /// A part lies in the file, and so does what is put in a place.
  private func validateRange() throws(ManifestProblem) {
    guard let range else {
      guard offset == nil else { throw .malformed("an offset without a range") }
      return
    }
    guard let length, 0 <= range.start, range.start < range.end, range.end <= length else {
      throw .malformed("a range that the file does not have")
    }
    guard let offset else { return }
    guard 0 <= offset, offset <= Self.mostLength - (range.end - range.start) else {
      throw .malformed("an offset that no file has")
    }
  }

  /// The bytes of the file that are wanted; nil where the length is not known. Only of a checked manifest.
  package var wanted: ByteRange? { range?.range ?? length.map { ByteRange(0, $0) } }

  /// What is to be taken from an offset in the file at the server for the one in the file beside this.
  package var base: Int64 { (range?.start ?? 0) - (offset ?? 0) }

  /// Whether all that is wanted is claimed.
  package var isComplete: Bool {
    wanted.map { wanted in segments.reduce(0) { $0 + $1.end - $1.start } == wanted.count } ?? false
  }

  /// What the file beside this holds, as one clause.
  package var holding: String {
    guard let range = range?.range else { return "the whole file" }
    return "\(range)" + (offset.map { " at offset \($0)" } ?? "")
  }

  /// Takes back what says that the part was not touched since: each of its segments is compared before it counts, and a
  /// file of the final name is not taken for the part.
  package mutating func distrust() {
    part = nil
    boot = nil
    computed = [:]
  }

  /// Whether a file that has the final name is the part that this manifest knows, complete: the same file, of the
  /// full length, and unchanged but for the time that it was given at the end. `modified` is in seconds since 1970.
  package func describes(finished file: PartIdentity, length size: Int64, modified: Int64) -> Bool {
    guard let part, part.device == file.device, part.inode == file.inode, wanted?.count == size else {
      return false
    }
    guard segments.reduce(0, { $0 + $1.end - $1.start }) == size else { return false }
    return part.modified == file.modified || lastModified.flatMap { HTTPDate($0)?.secondsSinceEpoch } == modified
  }

  /// The digests demanded; empty where they cannot be read.
  package var demandedDigests: [Digest] { Self.read(digests) ?? [] }
  /// The digest that the server announced; empty where it did not, or where that cannot be read.
  package var announcedDigests: [Digest] { announced.flatMap { Self.read($0) } ?? [] }
  /// What the file is compared with: all that was demanded, and what was announced where that is stronger.
  package var digestsToCompare: [Digest] {
    AnnouncedDigests.toCompare(demanded: demandedDigests, announced: announcedDigests)
  }
  /// Takes over the digests that a run demands; where it demands none, those of an earlier run stay.
  package mutating func demand(of request: DownloadRequest) {
    guard !request.digests.isEmpty else { return }
    digests = Self.write(request.digests)
    digestsUnauthenticated = request.digestsAreUnauthenticated ? true : nil
  }

  /// The digests computed of the complete part; empty where they cannot be read.
  package var computedDigests: [Digest] { Self.read(computed) ?? [] }

  /// The version of the file that the segments belong to.
  package var validator: Validator { Validator(etag: etag, lastModified: lastModified, length: length) }

  /// Digests as they are stored; of two with one algorithm the last.
  package static func write(_ digests: [Digest]) -> [String: String] {
    Dictionary(digests.map { ($0.algorithm.rawValue, $0.hex) }) { $1 }
  }

  private static func read(_ stored: [String: String]) -> [Digest]? {
    var digests: [Digest] = []
    for (name, hex) in stored.sorted(by: { $0.key < $1.key }) {
      // What is typed may have more behind it; what is stored has not.
      guard let algorithm = DigestAlgorithm(rawValue: name), hex.utf8.count == 2 * algorithm.length,
        let digest = try? Digest(algorithm, typed: hex)
      else { return nil }
      digests.append(digest)
    }
    return digests
  }

  /// The most bytes that a manifest of ours takes, whatever the file's length and however it is cut.
  package static let mostBytesWritten = 128 << 10
  /// So many segments can always be claimed: beside an address of 64 KiB, the longest, there is room for more.
  private static let leastClaims = 256

  /// Claims what a ledger has, as far as there is room.
  package mutating func claim(_ ledger: SegmentLedger) {
    segments = ledger.claims(atMost: mostClaims).map(StoredSegment.init)
  }

  /// How many segments fit beside all the rest. None takes more bytes than `{"crc32":"01234567","end":,"start":},` and
  /// the file's length twice.
  private var mostClaims: Int {
    let texts = [url, etag, lastModified, boot, part?.modified].compactMap { $0 }
    let pairs = [digests, computed, announced ?? [:]].flatMap { $0 }.flatMap { [$0.key, $0.value] }
    // Names, numbers and braces take less than 768.
    let rest = (texts + pairs).reduce(768) { $0 + Self.encodedCount($1) }
    let each = 37 + 2 * String(length ?? .max).utf8.count
    return max(Self.leastClaims, (Self.mostBytesWritten - rest) / each)
  }

  /// Bytes of a text in JSON (RFC 8259, section 7), with quotes and one more.
  private static func encodedCount(_ text: String) -> Int {
    text.utf8.reduce(3) { $0 + ($1 < 0x20 || $1 == 0x7f ? 6 : $1 == UInt8(ascii: "\"") || $1 == 0x5c ? 2 : 1) }
  }

  /// The segments as a ledger.
  package func ledger(combine: @escaping SegmentLedger.Combine) -> SegmentLedger {
    var ledger = SegmentLedger(length: length, combine: combine)
    for stored in segments {
      ledger.add(Segment(ByteRange(stored.start, stored.end), crc32: stored.checksum ?? 0))
    }
    return ledger
  }
}

extension Manifest.StoredSegment {
  /// The segment as it is stored.
  package init(_ segment: Segment) {
    self.init(start: segment.range.start, end: segment.range.end, crc32: Self.digits(of: segment.crc32))
  }

  /// Eight hexadecimal digits.
  package static func digits(of checksum: UInt32) -> String {
    let digits = String(checksum, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// Nil where it is not eight digits; `UInt32` alone would take a sign for one.
  package var checksum: UInt32? {
    crc32.utf8.count == 8 && crc32.utf8.allSatisfy({ $0.hexValue != nil }) ? UInt32(crc32, radix: 16) : nil
  }
}
