import DownloadCore
import Testing

@Suite struct ByteCountTests {
  @Test(
    arguments: [
      ("1", 1), ("512", 512), ("1k", 1024), ("1K", 1024), ("1kB", 1024), ("1KiB", 1024), ("64k", 65_536),
      ("1M", 1 << 20), ("1.5m", 1_572_864), ("2G", 2 << 30), ("1T", 1 << 40), ("1tib", 1 << 40), (".5k", 512),
      ("1.k", 1024), ("5B", 5), ("9223372036854775807", .max), ("0.001k", 1), ("8388607T", 8_388_607 << 40),
    ] as [(String, Int64)])
  func reads(_ text: String, _ bytes: Int64) { #expect(ByteCount(typed: text)?.bytes == bytes) }

  @Test(arguments: [
    "", "0", "0k", "-1", "+1", "k", ".", ".k", "1.2.3k", "1x", "1 k", "1kk", "9223372036854775808", "8388608T", "1e3",
    "0x10", "1bk", "１k", "0.0001k", "99999999999999999999999", "1k ", "1,5k",
  ])
  func rejects(_ text: String) { #expect(ByteCount(typed: text) == nil) }

  @Test(
    arguments: [
      (0, "0 B"), (999, "999 B"), (1000, "1.0 KiB"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (10_240, "10 KiB"),
      (10_188, "9.9 KiB"), (77 << 20, "77 MiB"), (1023 << 10, "1.0 MiB"), (5_798_205_850, "5.4 GiB"),
      (1 << 40, "1.0 TiB"),
      (.max, "8.0 EiB"),
    ] as [(Int64, String)])
  func shows(_ bytes: Int64, _ text: String) { #expect(ByteCount(bytes).description == text) }
}

@Suite struct ByteRangeTests {
  @Test func bounds() {
    let range = ByteRange(10, 20)
    #expect(range.count == 10 && !range.isEmpty && ByteRange(5, 5).isEmpty)
    #expect(range.contains(10) && range.contains(19) && !range.contains(20) && !range.contains(9))
  }

  @Test func overlap() {
    let range = ByteRange(10, 20)
    for other in [ByteRange(15, 30), ByteRange(0, 11), ByteRange(0, 100), ByteRange(12, 13)] {
      #expect(range.overlaps(other) && other.overlaps(range))
    }
    for other in [ByteRange(0, 10), ByteRange(20, 30)] {
      #expect(!range.overlaps(other) && !other.overlaps(range))
    }
  }
}

@Suite struct DigestTests {
  private static let md5 = "d41d8cd98f00b204e9800998ecf8427e"

  @Test(arguments: [
    ("md5", DigestAlgorithm.md5), ("MD5", .md5), ("SHA-256", .sha256), ("sha256", .sha256), ("sha_512", .sha512),
    ("sha512/256", .sha512t256), ("SHA-512-256", .sha512t256), ("sha512t256", .sha512t256), ("sha3_256", .sha3t256),
    ("SHA3-512", .sha3t512), ("blake2b", .blake2b), ("BLAKE2s256", .blake2s), ("rmd160", .ripemd160),
    ("sha-1", .sha1), ("sm3", .sm3),
  ])
  func names(_ text: String, _ algorithm: DigestAlgorithm) { #expect(DigestAlgorithm(typed: text) == algorithm) }

  @Test(arguments: ["", "md4", "sha", "sha257", "-", "crc32", "sha256 "])
  func unknownNames(_ text: String) { #expect(DigestAlgorithm(typed: text) == nil) }

  @Test func everyNameIsRead() {
    for algorithm in DigestAlgorithm.allCases { #expect(DigestAlgorithm(typed: algorithm.rawValue) == algorithm) }
  }

  /// D01.
  @Test(arguments: [md5, md5.uppercased(), "  \(md5)\n", "\(md5)  file.iso", "\(md5) *file.iso"])
  func readsDigits(_ text: String) throws { #expect(try Digest(.md5, typed: text) == Digest(.md5, hex: Self.md5)) }

  @Test(arguments: ["md5:\(md5)", "MD5=\(md5)", "md5: \(md5)"])
  func readsPairs(_ text: String) throws { #expect(try Digest(typedPair: text) == Digest(.md5, hex: Self.md5)) }

  /// D03.
  @Test(arguments: [
    ("md5:\(md5)0", Digest.ParseError.wrongLength(.md5, expected: 32, got: 33)), ("x:00", .unknownAlgorithm("x")),
    ("md5:", .wrongLength(.md5, expected: 32, got: 0)), ("md5:zz", .notHexadecimal(.md5)), (md5, .noAlgorithm),
    ("md5:é", .notHexadecimal(.md5)), ("sha256:\(md5)", .wrongLength(.sha256, expected: 64, got: 32)),
  ])
  func rejects(_ text: String, _ error: Digest.ParseError) {
    #expect(throws: error) { try Digest(typedPair: text) }
  }
}

@Suite struct RemoteURLTests {
  private func url(path: String = "/f", query: String? = nil, port: Int = 443) -> RemoteURL {
    RemoteURL(
      scheme: "https", host: "Host.example", port: port, path: path, query: query,
      userInfo: .init(user: "u", password: "S3CR3T"), fragment: "frag")
  }

  @Test func absolute() {
    #expect(url().absolute == "https://Host.example/f")
    #expect(url(query: "a=1", port: 8443).absolute == "https://Host.example:8443/f?a=1")
    #expect(url(query: "").absolute == "https://Host.example/f?")
  }

  @Test func origin() {
    #expect(url().origin == RemoteURL(scheme: "https", host: "host.EXAMPLE", port: 443, path: "/").origin)
    #expect(url().origin != url(port: 8443).origin)
  }

  @Test(arguments: [("/a/b.zip", "b.zip"), ("/", ""), ("/a/", ""), ("/b%2Fc", "b%2Fc")])
  func lastPathPart(_ path: String, _ part: String) { #expect(url(path: path).lastPathPart == part) }

  /// H25.
  @Test(
    arguments: [
      ("sig=S3CR3T", "sig=***", nil), ("a=1&X-Amz-Signature=S3CR3T&b=2", "a=1&X-Amz-Signature=***&b=2", "a=1&b=2"),
      ("a=1", "a=1", "a=1"), ("", "", ""), ("TOKEN=S3CR3T&&x", "TOKEN=***&&x", "&x"), ("sig", "sig", "sig"),
      ("X-Goog-Credential=S3CR3T", "X-Goog-Credential=***", nil), ("se=S3CR3T&sv=2", "se=***&sv=***", nil),
      ("access_token=S3CR3T=x", "access_token=***", nil), ("%73ig=S3CR3T", "%73ig=***", nil),
      ("api%5Fkey=S3CR3T", "api%5Fkey=***", nil), ("a=1;sig=S3CR3T", "a=***", nil),
      ("token%3DS3CR3T", "token%3D***", nil), ("passwd=S3CR3T", "passwd=***", nil), ("code=S3CR3T", "code=***", nil),
    ] as [(String, String, String?)])
  func secretQueries(_ query: String, _ redacted: String, _ kept: String?) {
    let base = "https://Host.example/f"
    let url = url(query: query)
    #expect(url.redacted == "\(base)?\(redacted)")
    #expect(!url.redacted.contains("S3CR3T") && !url.withoutSecrets.contains("S3CR3T"))
    #expect(url.withoutSecrets == base + (kept.map { "?\($0)" } ?? ""))
    #expect(url.hasSecretQuery == query.contains("S3CR3T"))
  }
}
