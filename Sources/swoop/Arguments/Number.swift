internal import DownloadCore

/// Reads the numbers and digests of options; every failure is a usage error that names the option. Where a number was
/// forgotten its place is taken by the URL that follows, whose secrets are not repeated.
enum Number {
  /// `auto`, or 1 to 64.
  static func connections(_ text: String) throws(DownloadError) -> ConnectionLimit {
    if text.lowercased() == "auto" { return .automatic }
    guard text.isDigits, let count = Int(text), 1...ConnectionLimit.most ~= count else {
      throw .usage("--connections is 1 to \(ConnectionLimit.most) or auto, not '\(Redactor.address(text))'")
    }
    return .fixed(count)
  }

  /// 1 to 64.
  static func jobs(_ text: String) throws(DownloadError) -> Int {
    guard text.isDigits, let count = Int(text), 1...Arguments.mostJobs ~= count else {
      throw .usage("--jobs is 1 to \(Arguments.mostJobs), not '\(Redactor.address(text))'")
    }
    return count
  }

  static func size(_ text: String, of option: String) throws(DownloadError) -> ByteCount {
    guard let size = ByteCount(typed: text) else {
      guard !ByteCount.isTooLarge(typed: text) else { throw .usage("\(option) '\(text)' is too large") }
      throw .usage("\(option) needs a size such as 512k or 1.5M, not '\(Redactor.address(text))'")
    }
    return size
  }

  /// `A-B`, `A-` or `-N`.
  static func range(_ text: String) throws(DownloadError) -> WantedRange {
    do throws(WantedRange.Problem) { return try WantedRange(typed: text) } catch { throw .badRange(text, error) }
  }

  /// An offset in a file, in bytes.
  static func offset(_ text: String) throws(DownloadError) -> Int64 {
    guard text.isDigits else {
      throw .usage("--output-offset is a number of bytes, not '\(Redactor.address(text))'")
    }
    guard let offset = text.plainDecimal, offset <= Manifest.mostLength else {
      throw .usage("--output-offset '\(text)' is too large: no file has bytes there")
    }
    return offset
  }

  static func parts(_ text: String) throws(DownloadError) -> Int {
    guard let parts = text.plainDecimal, 1...Int64(PartPlan.mostParts) ~= parts else {
      throw .usage("--parts is 1 to \(PartPlan.mostParts), not '\(Redactor.address(text))'")
    }
    return Int(parts)
  }

  static func index(_ text: String) throws(DownloadError) -> Int {
    guard let index = text.plainDecimal, index < PartPlan.mostParts else {
      throw .usage("--part is a part's number, 0 to \(PartPlan.mostParts - 1), not '\(Redactor.address(text))'")
    }
    return Int(index)
  }

  /// No less than what a pipe holds: with less, nothing would be fetched ahead.
  static func window(_ text: String) throws(DownloadError) -> ByteCount {
    let window = try size(text, of: "--window")
    guard window >= .kibi(64) else {
      throw .usage("--window is 64k at least, what a pipe holds by itself, not '\(Redactor.address(text))'")
    }
    return window
  }

  /// A positive decimal number. What is beyond 30 years is as good as for ever.
  static func seconds(_ text: String, of option: String) throws(DownloadError) -> Double {
    let isNumber = text.replacing(".", with: "", maxReplacements: 1).isDigits
    guard isNumber, let value = Double(text), value >= 0.001 else {
      throw .usage("\(option) needs a positive number of seconds, not '\(Redactor.address(text))'")
    }
    return min(value, 1e9)
  }

  static func digest(
    _ algorithm: DigestAlgorithm, _ text: String, of option: String
  ) throws(DownloadError) -> Digest {
    do {
      return try Digest(algorithm, typed: text)
    } catch {
      throw .usage("\(option) \(describe(error))")
    }
  }

  static func checksum(_ text: String) throws(DownloadError) -> Digest {
    do {
      return try Digest(typedPair: text)
    } catch {
      let hint = error == .noAlgorithm ? option(forDigestOf: text).map { "; did you mean \($0)?" } ?? "" : ""
      throw .usage("--checksum \(describe(error))\(hint)")
    }
  }

  /// Of a bare digest, whose length tells its algorithm as a rule.
  private static func option(forDigestOf text: String) -> String? {
    guard text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
    let usual: [DigestAlgorithm] = [.md5, .sha1, .sha256, .sha512]
    return usual.first { $0.length * 2 == text.utf8.count }.map { "--\($0.rawValue)" }
  }

  /// The digests that an address names in its fragment, each of which its file must have.
  static func digests(inFragmentOf url: RemoteURL) throws(DownloadError) -> [Digest] {
    guard let fragment = url.fragment else { return [] }
    do {
      return try Digest.all(inFragment: fragment)
    } catch {
      throw .usage("the fragment of \(url.redacted) \(describe(error))")
    }
  }

  private static func describe(_ error: Digest.ParseError) -> String {
    switch error {
    case .unknownAlgorithm(let name): "knows no algorithm '\(Redactor.address(name))'"
    case .wrongLength(let algorithm, let expected, let got):
      "needs \(expected) hexadecimal digits for \(algorithm.rawValue), not \(got)"
    case .notHexadecimal(let algorithm):
      "needs \(algorithm.length * 2) hexadecimal digits for \(algorithm.rawValue), and has other characters"
    case .noAlgorithm: "needs an algorithm and a digest: ALGO:HEX"
    }
  }
}
