import DownloadCore
import FaultCatalogue
import Testing

/// What counts of the digests that a head announces. All are those of `hello`.
@Suite struct AnnouncedDigestsTests {
  private static let md5 = "5d41402abc4b2a76b9719d911017c592"
  private static let sha1 = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"
  private static let sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
  private static let md5Text = "XUFAKrxLKna5cZ2REBfFkg=="
  private static let sha1Text = "qvTGHdzF6KLavt4PO0gs2a6pQ00="
  private static let sha256Text = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="

  private func announced(_ fields: [(String, String)], isWhole: Bool = false) -> AnnouncedDigests {
    let head = ResponseHead(status: .ok, fields: fields.map { HeaderField($0.0, $0.1) })
    return AnnouncedDigests(head: head, isWhole: isWhole)
  }

  private func digests(_ fields: (String, String)..., isWhole: Bool = false) -> [String] {
    announced(fields, isWhole: isWhole).members.map { "\($0.digest.algorithm.rawValue) \($0.digest.hex)" }
  }

  /// The field, and which digest of the file it holds, whatever part of that the body is.
  @Test(arguments: [
    ("Repr-Digest", "sha-256=:\(sha256Text):", "sha256 \(sha256)"),
    ("repr-digest", "  sha-256=:\(sha256Text): ; q=1 ", "sha256 \(sha256)"),
    ("Digest", "SHA-256=\(sha256Text)", "sha256 \(sha256)"), ("Digest", "sha=\(sha1Text)", "sha1 \(sha1)"),
    ("Digest", "md5=\(md5Text)", "md5 \(md5)"), ("x-goog-hash", "crc32c=n03x6A==,md5=\(md5Text)", "md5 \(md5)"),
    ("x-ms-blob-content-md5", md5Text, "md5 \(md5)"), ("X-Checksum-Md5", md5, "md5 \(md5)"),
    ("X-Checksum-Sha1", sha1, "sha1 \(sha1)"), ("X-CHECKSUM-SHA256", sha256.uppercased(), "sha256 \(sha256)"),
    ("X-Linked-ETag", "\"\(sha256)\"", "sha256 \(sha256)"), ("X-Linked-ETag", sha256, "sha256 \(sha256)"),
  ])
  func isRead(_ name: String, _ value: String, _ expected: String) {
    #expect(digests((name, value)) == [expected])
  }

  @Test func severalStandInOneField() {
    let all = digests(("Repr-Digest", "unixsum=:AAAA:, sha=:\(Self.sha1Text):,, sha-256=:\(Self.sha256Text):"))
    #expect(all == ["sha1 \(Self.sha1)", "sha256 \(Self.sha256)"])
    let strongest = announced([("Digest", "md5=\(Self.md5Text)"), ("X-Checksum-Sha256", Self.sha256)]).strongest
    #expect(strongest?.digest == Digest(.sha256, hex: Self.sha256) && strongest?.field == "X-Checksum-Sha256")
  }

  /// What is of the body counts only where that is the whole file.
  @Test(arguments: [
    ("Content-Digest", "sha-256=:\(sha256Text):"), ("Content-MD5", md5Text), ("x-amz-checksum-sha256", sha256Text),
    ("x-amz-checksum-sha1", sha1Text),
  ])
  func isOfTheBody(_ name: String, _ value: String) {
    #expect(digests((name, value)).isEmpty)
    #expect(digests((name, value), isWhole: true).count == 1)
  }

  @Test func checksumOfAWholeObject() {
    let checksum = ("x-amz-checksum-sha256", Self.sha256Text)
    #expect(digests(checksum, ("x-amz-checksum-type", "FULL_OBJECT")).count == 1)
    #expect(digests(checksum, ("x-amz-checksum-type", "COMPOSITE")).isEmpty)
  }

  /// H24: what is malformed, unknown, or of something else is as if nobody had said it.
  @Test(
    .row("H24"),
    arguments: [
      ("Digest", "SHA-256=\(sha256Text.dropLast())"), ("Digest", "SHA-256=\(sha256Text)="), ("Digest", "SHA-256=:::"),
      ("Digest", "SHA-256=L?JNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="), ("Digest", "SHA-256"), ("Digest", "="),
      ("Digest", "SHA-256=\(md5Text)"), ("Digest", "md5=\(md5)"), ("Digest", "SHA-256=:\(sha256Text):"),
      ("Digest", "crc32c=n03x6A=="), ("Digest", "id-sha-256=\(sha256Text)"), ("Digest", "sm3=\(sha256Text)"),
      ("Repr-Digest", "sha-256=\(sha256Text)"), ("Repr-Digest", "sha-256=:\(sha256Text)"), ("Repr-Digest", ""),
      ("Repr-Digest", "sha-256=:=:"), ("Repr-Digest", "sha-256=:====:"), ("Repr-Digest", "\u{1B}=:\(sha256Text):"),
      ("x-amz-checksum-sha256", "\(sha256Text)-7"), ("x-ms-blob-content-md5", "not base64"),
      ("X-Checksum-Sha256", md5), ("X-Checksum-Md5", "zz" + md5.dropFirst(2)), ("X-Checksum-Md5", "\(md5) file"),
      ("X-Linked-ETag", "\"\(md5)\""), ("X-Linked-ETag", "W/\"\(sha256)\""), ("ETag", "\"\(md5)\""),
      ("ETag", "\"\(sha256)\""), ("Content-MD5", md5),
    ])
  func isIgnored(_ name: String, _ value: String) {
    #expect(digests((name, value), isWhole: true).isEmpty)
  }

  @Test(arguments: [
    ("Content-Encoding", "gzip", true), ("Content-Encoding", "identity", false),
    ("x-goog-stored-content-encoding", "gzip", true), ("x-goog-stored-content-encoding", "identity", false),
  ])
  func nothingCountsOfACoding(_ name: String, _ value: String, _ isCoded: Bool) {
    let found = digests((name, value), ("Repr-Digest", "sha-256=:\(Self.sha256Text):"), isWhole: true)
    #expect(found.isEmpty == isCoded)
  }

  @Test func contradictions() throws {
    let same = announced([("X-Checksum-Md5", Self.md5), ("x-goog-hash", "md5=\(Self.md5Text)")])
    #expect(same.contradiction == nil && same.members.count == 1)
    let other = String(repeating: "0", count: 32)
    let two = announced([("X-Checksum-Md5", other), ("X-Checksum-Sha1", Self.sha1), ("Digest", "md5=\(Self.md5Text)")])
    let (first, second) = try #require(two.contradiction)
    #expect(Set([first.digest.hex, second.digest.hex]) == [other, Self.md5])
    #expect(Set([first.field, second.field]) == ["X-Checksum-Md5", "Digest"])
    // Who has a stronger one from elsewhere need not care.
    let counted = two.stronger(than: [Digest(.sha256, hex: Self.sha256)]) { _ in true }
    #expect(counted.members.isEmpty && two.stronger(than: []) { $0 != .md5 }.contradiction == nil)
  }

  @Test func redirectsSpeakOfWhereTheyLead() {
    let fields = [
      HeaderField("X-Linked-ETag", "\"\(Self.sha256)\""), HeaderField("Digest", "md5=\(Self.md5Text)"),
    ]
    let announced = AnnouncedDigests(redirect: ResponseHead(status: HTTPStatus(rawValue: 302), fields: fields))
    #expect(announced.members.map(\.digest) == [Digest(.sha256, hex: Self.sha256)])
  }

  /// One of the announced beside what was demanded, and only if it proves more.
  @Test func whatIsCompared() {
    let (md5, sha1) = (Digest(.md5, hex: Self.md5), Digest(.sha1, hex: Self.sha1))
    let sha256 = Digest(.sha256, hex: Self.sha256)
    #expect(AnnouncedDigests.toCompare(demanded: [], announced: [md5, sha256, sha1]) == [sha256])
    #expect(AnnouncedDigests.toCompare(demanded: [md5], announced: [sha1, sha256]) == [md5, sha256])
    #expect(AnnouncedDigests.toCompare(demanded: [sha256], announced: [md5]) == [sha256])
    let other = Digest(.sha256, hex: String(repeating: "0", count: 64))
    #expect(AnnouncedDigests.toCompare(demanded: [sha256], announced: [other]) == [sha256])
    let sha3 = Digest(.sha3t256, hex: Self.sha256)
    #expect(AnnouncedDigests.toCompare(demanded: [sha3], announced: [other]) == [sha3])
    #expect(AnnouncedDigests.toCompare(demanded: [md5], announced: []) == [md5])
  }

  @Test func noHeadMakesItFall() {
    var chance = SeededGenerator(seed: 11)
    let names = ["Repr-Digest", "Digest", "x-goog-hash", "Content-MD5", "X-Checksum-Sha1", "X-Linked-ETag"]
    for _ in 0..<2_000 {
      let fields = names.map { ($0, chance.mutatedText(of: "sha=:\(Self.sha1Text):, md5=\(Self.md5Text)")) }
      let members = announced(fields, isWhole: true).members
      #expect(members.allSatisfy { $0.digest.hex.utf8.count == $0.digest.algorithm.length * 2 })
    }
  }
}
