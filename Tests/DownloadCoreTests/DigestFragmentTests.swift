import DownloadCore
import Testing

@Suite struct DigestFragmentTests {
  private static let md5 = String(repeating: "0a", count: 16)

  @Test func everyAlgorithm() throws {
    for algorithm in DigestAlgorithm.allCases {
      let hex = String(repeating: "9f", count: algorithm.length)
      for text in ["\(algorithm.rawValue)=\(hex)", "\(algorithm.rawValue.uppercased())=\(hex.uppercased())"] {
        #expect(try Digest.all(inFragment: text) == [Digest(algorithm, hex: hex)])
      }
    }
  }

  @Test(arguments: [
    ("egg=x&md5=\(md5)", 1), ("md5=\(md5)&egg=x&subdirectory=y", 1), ("md5%3D=x&SHA-1=\(md5)00000000", 1),
    ("", 0), ("top", 0), ("md5", 0), ("sha256", 0), ("t=10", 0), ("md6=00", 0), ("&&", 0), ("=", 0),
    ("md5=\(md5)&md5=\(md5)", 2),
  ]) func whatElseThereMayBe(fragment: String, count: Int) throws {
    #expect(try Digest.all(inFragment: fragment).count == count)
  }

  @Test(arguments: [
    "md5=", "md5=12", "egg=x&md5=\(md5)0", "md5=\(md5)%20x", "md5=g\(md5.dropFirst())", "sha512=\(md5)",
  ])
  func malformed(fragment: String) {
    #expect(throws: Digest.ParseError.self) { try Digest.all(inFragment: fragment) }
  }
}
