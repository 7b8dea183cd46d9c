/// The digests of the whole file that a server announces by itself, as far as they can be relied on.
package struct AnnouncedDigests: Hashable, Sendable {
  /// One of them, and where it stood.
  package struct Member: Hashable, Sendable {
    /// What the file must have.
    package var digest: Digest
    /// The field's name as it is usually written.
    package var field: String
  }

  /// In the order of the fields; several may have one algorithm.
  package private(set) var members: [Member] = []

  /// None.
  package init() {}

  /// What the head of an answer to a GET says. `isWhole`: its body is the whole file, from the first byte to the last:
  /// then a digest of the body is one of the file.
  ///
  /// None where a content coding is in play: the field may speak of what is coded or of what is not.
  package init(head: ResponseHead, isWhole: Bool) {
    // Most answers announce nothing.
    guard head.fields.contains(where: { Self.isAnnouncement($0.name) }) else { return }
    guard !head.isContentEncoded, !Self.isStoredEncoded(head) else { return }
    for name in ["Repr-Digest", "Digest"] + (isWhole ? ["Content-Digest"] : []) { addList(name, head) }
    addList("x-goog-hash", head)
    if isWhole { addBase64("Content-MD5", .md5, head) }
    addBase64("x-ms-blob-content-md5", .md5, head)
    for algorithm in Self.algorithms {
      if isWhole || Self.isOfWholeObject(head) { addBase64("x-amz-checksum-\(algorithm.rawValue)", algorithm, head) }
      addHexadecimal("X-Checksum-\(algorithm.rawValue.capitalisedByASCII)", algorithm, head)
    }
    addLinkedTag(head)
  }

  /// What a redirect says of the file that it leads to.
  package init(redirect head: ResponseHead) { addLinkedTag(head) }

  /// Those that are looked for, the strongest first.
  package static let algorithms: [DigestAlgorithm] = [.sha512, .sha384, .sha256, .sha224, .sha1, .md5]

  /// The names of the fields that are read, in lower case.
  package static let fields: Set<String> = Set(
    ["repr-digest", "digest", "content-digest", "content-md5", "x-goog-hash", "x-ms-blob-content-md5", "x-linked-etag"]
      + algorithms.flatMap { ["x-amz-checksum-\($0.rawValue)", "x-checksum-\($0.rawValue)"] })

  private static let lengths = Set(fields.map(\.utf8.count))

  private static func isAnnouncement(_ name: String) -> Bool {
    lengths.contains(name.utf8.count) && fields.contains(name.lowercased())
  }

  /// The strongest; nil where there is none.
  package var strongest: Member? {
    members.min { Self.rank($0.digest.algorithm) < Self.rank($1.digest.algorithm) }
  }

  /// Two that no file can have both.
  package var contradiction: (Member, Member)? {
    for (index, member) in members.enumerated() {
      let other = members[..<index].first {
        $0.digest.algorithm == member.digest.algorithm && $0.digest != member.digest
      }
      if let other { return (other, member) }
    }
    return nil
  }

  /// These, and others that are announced elsewhere.
  package func joined(with others: AnnouncedDigests) -> AnnouncedDigests {
    var all = self
    for member in others.members { all.add(member) }
    return all
  }

  /// Without those that would not be compared beside what was demanded, and those that nobody here can compute.
  package func stronger(than demanded: [Digest], offered: (DigestAlgorithm) -> Bool) -> AnnouncedDigests {
    var kept = self
    kept.members.removeAll { member in
      !Self.isStronger(member.digest.algorithm, than: demanded) || !offered(member.digest.algorithm)
    }
    return kept
  }

  /// What a file is compared with: all that was demanded, and what was announced where that is stronger than all of it.
  /// Who has a digest from elsewhere knows better than the server.
  package static func toCompare(demanded: [Digest], announced: [Digest]) -> [Digest] {
    let strongest = announced.filter { isStronger($0.algorithm, than: demanded) }
      .min { rank($0.algorithm) < rank($1.algorithm) }
    return demanded + (strongest.map { [$0] } ?? [])
  }

  private static func isStronger(_ algorithm: DigestAlgorithm, than demanded: [Digest]) -> Bool {
    demanded.allSatisfy { rank(algorithm) < rank($0.algorithm) }
  }

  /// 0 is the strongest; what only people ask for is as good as that.
  private static func rank(_ algorithm: DigestAlgorithm) -> Int { algorithms.firstIndex(of: algorithm) ?? 0 }
}

/// Reading the fields.
extension AnnouncedDigests {
  /// Google's stores say here what was done to the object before they undid it.
  private static func isStoredEncoded(_ head: ResponseHead) -> Bool {
    head.list("x-goog-stored-content-encoding").contains { !$0.equalsIgnoringCase("identity") }
  }

  /// S3 may give a part's own checksum with a range that is a part of an upload.
  private static func isOfWholeObject(_ head: ResponseHead) -> Bool {
    head.first("x-amz-checksum-type")?.equalsIgnoringCase("FULL_OBJECT") ?? false
  }

  /// `sha-256=:BASE64:` (RFC 9530), `SHA-256=BASE64` (RFC 3230, Google); parameters mean nothing.
  private mutating func addList(_ field: String, _ head: ResponseHead) {
    for member in head.list(field) {
      guard let sign = member.firstIndex(of: "="), let algorithm = Self.algorithm(named: member[..<sign]) else {
        continue
      }
      let value = member[member.index(after: sign)...].prefix { $0 != ";" }.withoutBlanks
      let isBinary = value.count > 1 && value.hasPrefix(":") && value.hasSuffix(":")
      // Only the newer fields have structure, and must have it (RFC 8941, section 3.3.5).
      guard isBinary == field.hasSuffix("-Digest") else { continue }
      add(field, algorithm, Base64.decode(isBinary ? value.dropFirst().dropLast() : value))
    }
  }

  private mutating func addBase64(_ field: String, _ algorithm: DigestAlgorithm, _ head: ResponseHead) {
    // Of an object that was uploaded in parts S3 gives a checksum of checksums: `BASE64-N`, which is no base64.
    for value in head.values(field) { add(field, algorithm, Base64.decode(value)) }
  }

  private mutating func addHexadecimal(_ field: String, _ algorithm: DigestAlgorithm, _ head: ResponseHead) {
    for value in head.values(field) {
      guard value.utf8.count == algorithm.length * 2, let digest = try? Digest(algorithm, typed: value) else {
        continue
      }
      add(Member(digest: digest, field: field))
    }
  }

  /// The ETag of what a redirect leads to is its sha256 where it has 64 digits.
  private mutating func addLinkedTag(_ head: ResponseHead) {
    for value in head.values("X-Linked-ETag") {
      let bare = value.hasPrefix("\"") && value.hasSuffix("\"") ? String(value.dropFirst().dropLast()) : value
      guard bare.utf8.count == 64, let digest = try? Digest(.sha256, typed: bare) else { continue }
      add(Member(digest: digest, field: "X-Linked-ETag"))
    }
  }

  private mutating func add(_ field: String, _ algorithm: DigestAlgorithm, _ bytes: [UInt8]?) {
    guard let bytes, bytes.count == algorithm.length else { return }
    add(Member(digest: Digest(algorithm, bytes: bytes), field: field))
  }

  /// The same again is nothing new.
  private mutating func add(_ member: Member) {
    guard !members.contains(where: { $0.digest == member.digest }) else { return }
    members.append(member)
  }

  private static func algorithm(named name: Substring) -> DigestAlgorithm? {
    if name.equalsIgnoringCase("sha") { return .sha1 }
    return DigestAlgorithm(typed: name).flatMap { algorithms.contains($0) ? $0 : nil }
  }
}

extension Digest {
  /// Of the digest's bytes.
  package init(_ algorithm: DigestAlgorithm, bytes: some Sequence<UInt8>) {
    self.init(algorithm, hex: bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }
}

extension String {
  /// The first letter a capital one: `sha256` as `Sha256`.
  fileprivate var capitalisedByASCII: String { prefix(1).uppercased() + dropFirst() }
}
