/// A digest that a file must have, or that was computed of one.
package struct Digest: Hashable, Sendable {
  /// What the digest was made with.
  package var algorithm: DigestAlgorithm
  /// Lower-case hexadecimal.
  package var hex: String

  /// Checks nothing: `hex` is lower-case and of the right length.
  package init(_ algorithm: DigestAlgorithm, hex: String) {
    self.algorithm = algorithm
    self.hex = hex
  }
}

/// The digest algorithms, named as OpenSSL's `EVP_get_digestbyname` does (openssl-dgst(1)).
package enum DigestAlgorithm: String, CaseIterable, Sendable, CodingKeyRepresentable, Codable {
  case md5, sha1, sha224, sha256, sha384, sha512
  case sha512t224 = "sha512-224"
  case sha512t256 = "sha512-256"
  case sha3t224 = "sha3-224"
  case sha3t256 = "sha3-256"
  case sha3t384 = "sha3-384"
  case sha3t512 = "sha3-512"
  case blake2b = "blake2b512"
  case blake2s = "blake2s256"
  case ripemd160
  case sm3

  /// The length of the digest, in bytes.
  package var length: Int {
    switch self {
    case .md5: 16
    case .sha1, .ripemd160: 20
    case .sha224, .sha512t224, .sha3t224: 28
    case .sha256, .sha512t256, .sha3t256, .blake2s, .sm3: 32
    case .sha384, .sha3t384: 48
    case .sha512, .sha3t512, .blake2b: 64
    }
  }

  /// Whether nobody can make two files that have the same digest; of md5 and sha1 that is no longer true.
  package var resistsAttacks: Bool { self != .md5 && self != .sha1 }

  /// Reads a name as people write it: any case, `SHA-256` as `sha256`, `sha3_256`, `blake2b`.
  package init?(typed name: some StringProtocol) {
    let folded = name.lowercased().map { $0 == "_" || $0 == "/" ? "-" : $0 }
    let text = String(folded)
    if let exact = Self(rawValue: text) {
      self = exact
      return
    }
    let bare = text.filter { $0 != "-" }
    let aliases: [String: Self] = [
      "blake2b": .blake2b, "blake2s": .blake2s, "rmd160": .ripemd160, "sha512t224": .sha512t224,
      "sha512t256": .sha512t256,
    ]
    guard let found = Self.allCases.first(where: { $0.rawValue.filter { $0 != "-" } == bare }) ?? aliases[bare] else {
      return nil
    }
    self = found
  }
}

extension Digest {
  /// Why a typed digest was not understood.
  package enum ParseError: Error, Hashable, Sendable {
    case unknownAlgorithm(String)
    case wrongLength(DigestAlgorithm, expected: Int, got: Int)
    case notHexadecimal(DigestAlgorithm)
    case noAlgorithm
  }

  /// Reads the digits of a digest as typed or pasted: any case, blanks around it, a file's name behind it.
  package init(_ algorithm: DigestAlgorithm, typed text: some StringProtocol) throws(ParseError) {
    let digits = text.split(whereSeparator: { $0.isWhitespace }).first.map { $0.lowercased() } ?? ""
    guard digits.utf8.allSatisfy({ $0.hexValue != nil }) else { throw .notHexadecimal(algorithm) }
    guard digits.utf8.count == algorithm.length * 2 else {
      throw .wrongLength(algorithm, expected: algorithm.length * 2, got: digits.utf8.count)
    }
    self.init(algorithm, hex: digits)
  }

  /// Reads `ALGO:HEX` or `ALGO=HEX`.
  package init(typedPair text: some StringProtocol) throws(ParseError) {
    guard let separator = text.firstIndex(where: { $0 == ":" || $0 == "=" }) else { throw .noAlgorithm }
    let name = text[..<separator]
    guard let algorithm = DigestAlgorithm(typed: name) else { throw .unknownAlgorithm(String(name)) }
    try self.init(algorithm, typed: text[text.index(after: separator)...])
  }
}
