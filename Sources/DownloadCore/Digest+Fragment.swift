extension Digest {
  /// Reads the digests in a URL's fragment, as pip and PEP 503 write them: `sha256=HEX`, and joined with `&` to others
  /// and to what means nothing here (`egg=name&sha256=HEX`). Text without a `=` behind an algorithm's name is an
  /// ordinary fragment.
  ///
  /// Throws for the first known algorithm whose value is no digest of it.
  package static func all(inFragment fragment: String) throws(ParseError) -> [Digest] {
    var digests: [Digest] = []
    for part in fragment.split(separator: "&") {
      guard let sign = part.firstIndex(of: "=") else { continue }
      let name = PercentCoding.decodedText(String(part[..<sign]))
      guard let algorithm = DigestAlgorithm(typed: name) else { continue }
      let value = PercentCoding.decodedText(String(part[part.index(after: sign)...]))
      // An option may have a file's name behind its digits; here nothing can.
      guard !value.contains(where: \.isWhitespace) else { throw .notHexadecimal(algorithm) }
      digests.append(try Digest(algorithm, typed: value))
    }
    return digests
  }
}
