import DownloadCore
import Testing

@Suite struct ChecksumFileTests {
  private static let md5 = String(repeating: "0a", count: 16)
  private static let sha1 = String(repeating: "1b", count: 20)
  private static let sha256 = String(repeating: "2c", count: 32)
  private static let other = String(repeating: "3d", count: 32)
  private static let sha512 = String(repeating: "4e", count: 64)
  private static let name = "a b.iso"

  private func digests(_ text: String, of name: String = name, source: String = "") throws -> [Digest] {
    try ChecksumFile(text, source: source).digests(of: [name])
  }

  @Test(arguments: [
    "\(sha256)  a b.iso", "\(sha256) *a b.iso\n", "\(sha256.uppercased())  a b.iso\r\n", "\(sha256)  ./a b.iso\n",
    "\u{FEFF}\(sha256)  a b.iso\n", "# \(other)  a b.iso\n\n  \n\(sha256)  a b.iso\n", "  \(sha256)  a b.iso",
    "\(other)  A B.iso\n\(sha256)  a b.iso\n\(other)  a b.iso.sig\n", "\(sha256) a b.iso\n",
    "\(other)  old/a b.iso\n\(other)  ../a b.iso\n\(other)  /a b.iso\n\(sha256)  a b.iso\n",
    "SHA256 (a b.iso) = \(sha256)\n", "SHA2-256(a b.iso)= \(sha256)\n", "SHA256(a b.iso)= \(sha256.uppercased())\r\n",
    "SHA256 (./a b.iso) = \(sha256)", "\\SHA256 (a b.iso) = \(sha256)\n", "SHA256 (a b.iso) = \(sha256)  \r\n",
    "\(sha256)  a b.iso\n\(sha256) *./a b.iso\n", "\(sha256)\n", "\(sha256)", "\r\n \(sha256) \r\n# end\r\n",
    "\(sha256)  -\n", "<html>\n\(sha256)  a b.iso\nnothing\n", "\(sha256)\t a b.iso",
  ]) func theLineOfTheName(text: String) throws {
    #expect(try digests(text) == [Digest(.sha256, hex: Self.sha256)])
  }

  @Test(arguments: [
    ("\\\(sha256)  a\\\\b\\nc", "a\\b\nc"), ("\(sha256)  a\\\\b", "a\\\\b"), ("\\\(sha256)  a\\rb", "a\rb"),
    ("SHA256 (a (1)) = 2).iso) = \(sha256)", "a (1)) = 2).iso"), ("\(sha256)   a", " a"),
    ("\(sha256)  ä\u{301}", "ä\u{301}"),
    ("\(sha256) ** ", "* "), ("\(sha256)  a\r\r\n", "a\r"), ("\\SHA512/256 (a\\nb) = \(sha256)", "a\nb"),
  ]) func namesOfEveryKind(text: String, name: String) throws {
    #expect(try digests(text, of: name).map(\.hex) == [Self.sha256])
  }

  @Test(arguments: [
    "", "\n\n", "# \(sha256)  a b.iso", "not found", "\(sha256.dropLast())  a b.iso", "\(sha256)0  a b.iso",
    "\\\(sha256)  a\\tb", "SHA1 (a b.iso) = \(sha256)", "SHA256 (a b.iso) \(sha256)", "FOO (a b.iso) = \(sha256)",
    "SHA256 () = \(sha256)", "\(sha256)  ./", "\(sha256)  a\0b", "\(sha256)\n\(other)\n", "\(sha256)x",
    "SHA256 (a b.iso = \(sha256)", "SHA256 )a b.iso( = \(sha256)", "0", "\(sha256)\r \(sha256)",
    "\(sha256)  " + String(repeating: "a", count: 10_000),
  ]) func linesOfNoUse(text: String) throws {
    #expect(throws: ChecksumFile.Problem.noDigests) { try digests(text) }
    #expect(try ChecksumFile(text).entries.isEmpty)
  }

  @Test func anotherNameIsNotThisOne() throws {
    for name in ["A B.iso", "a b.is", "x/a b.iso", "a b.iso ", "b.iso", "./a b.iso"] {
      #expect(throws: ChecksumFile.Problem.noLine(name)) { try digests("\(Self.sha256)  a b.iso", of: name) }
    }
    #expect(throws: ChecksumFile.Problem.noLine("é")) { try digests("\(Self.sha256)  e\u{301}", of: "é") }
    // A digest without a name beside others is nobody's.
    #expect(throws: ChecksumFile.Problem.noLine("b")) { try digests("\(Self.sha256)  a\n\(Self.other)", of: "b") }
  }

  @Test func theFirstNameThatIsThereCounts() throws {
    let list = try ChecksumFile("\(Self.sha256)  a\n\(Self.other)  b\n")
    #expect(try list.digests(of: ["a", "b"]).map(\.hex) == [Self.sha256])
    #expect(try list.digests(of: ["c", "b"]).map(\.hex) == [Self.other])
    #expect(throws: ChecksumFile.Problem.noLine("c")) { try list.digests(of: ["c", "d"]) }
  }

  @Test func linesThatDisagree() throws {
    let problem = ChecksumFile.Problem.contradiction(Self.name, .sha256)
    #expect(throws: problem) { try digests("\(Self.sha256)  a b.iso\n\(Self.other)  a b.iso\n") }
    #expect(throws: problem) { try digests("SHA256 (a b.iso) = \(Self.sha256)\n\(Self.other) *./a b.iso\n") }
    let two = try digests("\(Self.md5)  a b.iso\nSHA512 (a b.iso) = \(Self.sha512)\n\(Self.md5)  a b.iso\n")
    #expect(two == [Digest(.md5, hex: Self.md5), Digest(.sha512, hex: Self.sha512)])
  }

  @Test(arguments: [
    (md5, "", DigestAlgorithm.md5), (sha1, "SHA1SUMS", .sha1), (sha256, "", .sha256), (sha512, "", .sha512),
    (sha256, "https://h/x/SHA3-256SUMS?a=b.sm3", .sha3t256), (sha256, "file.sha3_256", .sha3t256),
    (sha256, "SHA512SUMS", .sha256), (sha256, "prism3.txt", .sha256), (sha256, "a.sm3", .sm3),
    (sha256, "a.blake2s", .blake2s), (sha512, "B2SUMS", .blake2b), (sha512, "a.iso.b2sum", .blake2b),
    (sha512, "BLAKE2B.txt", .blake2b), (sha512, "sha512sums.txt", .sha512), (sha1, "a.rmd160", .ripemd160),
    (sha256, "a.sha256.sm3", .sha256), (sha256, "sm3/SUMS", .sha256), (sha256, ".", .sha256),
  ]) func algorithms(hex: String, source: String, algorithm: DigestAlgorithm) throws {
    #expect(try digests("\(hex)  a b.iso", source: source) == [Digest(algorithm, hex: hex)])
    #expect(try digests(hex, source: source) == [Digest(algorithm, hex: hex)])
  }

  @Test func aTagIsStrongerThanTheListsName() throws {
    let text = "SHA3-256 (a b.iso) = \(Self.sha256)\nBLAKE2b (a b.iso) = \(Self.sha512)\n"
    let found = try digests(text, source: "SHA256SUMS")
    #expect(found.map(\.algorithm) == [.sha3t256, .blake2b])
  }

  @Test func onlyWhatIsSignedCounts() throws {
    let text = """
      \(Self.other)  a b.iso
      -----BEGIN PGP SIGNED MESSAGE-----
      Hash: SHA512
      \(Self.other)  a b.iso

      \(Self.sha256)  a b.iso
      - \(Self.sha1)  -dash
      -----BEGIN PGP SIGNATURE-----

      \(Self.other)  a b.iso
      -----END PGP SIGNATURE-----
      \(Self.other)  a b.iso
      """
    for text in [text, text.replacing("\n", with: "\r\n"), text.replacing("-----\n", with: "-----  \n")] {
      let list = try ChecksumFile(text)
      #expect(try list.digests(of: [Self.name]).map(\.hex) == [Self.sha256])
      #expect(try list.digests(of: ["-dash"]).map(\.hex) == [Self.sha1])
      #expect(list.strayLines == 0)
    }
  }

  @Test func aSignatureWithoutItsBeginningIsLeftOut() throws {
    let text = "\(Self.sha256)  a b.iso\n-----BEGIN PGP SIGNATURE-----\n\(Self.other)  a b.iso\n"
    #expect(try digests(text).map(\.hex) == [Self.sha256])
  }

  @Test func namesAreBytes() throws {
    let list = try ChecksumFile(Array("\(Self.sha256)  ".utf8) + [0xFF, 0x0A])
    #expect(list.entries.map(\.name) == [[0xFF]])
    #expect(list.entries.map(\.path) == [nil])
    #expect(throws: ChecksumFile.Problem.noLine("\u{FFFD}")) { try list.digests(of: ["\u{FFFD}"]) }
  }

  @Test func sizeIsBounded() throws {
    let line = "\(Self.sha256)  a\n"
    let most = String(repeating: line, count: ChecksumFile.mostBytes / line.utf8.count)
    #expect(try ChecksumFile(most).digests(of: ["a"]).map(\.hex) == [Self.sha256])
    #expect(throws: ChecksumFile.Problem.tooLarge) { try ChecksumFile(most + line) }
  }

  @Test func strayLinesAreCounted() throws {
    let list = try ChecksumFile("# c\n\nwhat\n\(Self.sha256)  a\n\(Self.sha256)\n")
    #expect(list.strayLines == 2 && list.bare == nil && list.entries.count == 1)
  }
}

/// Whatever is in a list, it is read in no time, and what is found in it is well-formed.
@Suite struct ChecksumFileMutationTests {
  private static let seeds = [
    "d41d8cd98f00b204e9800998ecf8427e  a\n\\d41d8cd98f00b204e9800998ecf8427f *b\\nc\n",
    "SHA256 (a) = e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\r\nSHA2-256(a)= 00\r\n",
    "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\n- da39a3ee5e6b4b0d3255bfef95601890afd80709  a\n"
      + "-----BEGIN PGP SIGNATURE-----\n\nxx\n-----END PGP SIGNATURE-----\n",
    "\u{FEFF}da39a3ee5e6b4b0d3255bfef95601890afd80709\n", "(((((=)))))=((((\\\\\\\\",
  ]

  @Test(arguments: seeds) func mutations(seed: String) throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<3000 {
      let list = try ChecksumFile(generator.mutation(of: seed), source: "a.b2")
      for digest in list.entries.map(\.digest) + [list.bare].compactMap(\.self) {
        #expect(digest.hex.utf8.count == digest.algorithm.length * 2)
        #expect(digest.hex.utf8.allSatisfy { $0.hexValue != nil } && digest.hex == digest.hex.lowercased())
      }
      for entry in list.entries { #expect(!entry.name.isEmpty && !entry.name.contains(0)) }
      let found = try? list.digests(of: ["a"])
      #expect(Set((found ?? []).map(\.algorithm)).count == found?.count ?? 0)
    }
  }

  @Test func chanceAlone() throws {
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<3000 { #expect(try ChecksumFile(generator.bytes(upTo: 300)).strayLines <= 300) }
  }

  /// Time that grew faster than the length would not end here.
  @Test(arguments: ["(", ")", "\\", "\n", " ", "a", "- ", "((=", "-----BEGIN PGP SIGNED MESSAGE-----\n"])
  func longMonotony(piece: String) throws {
    let count = (1 << 17) / piece.utf8.count
    #expect(try ChecksumFile(String(repeating: piece, count: count)).entries.isEmpty)
  }
}
