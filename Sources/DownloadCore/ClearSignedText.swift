/// The lines of a text that count: all of them, or where it is clear-signed (RFC 9580, section 7) those that the
/// signature covers. The signature is not checked.
struct ClearSignedText {
  /// Without their line ends.
  private(set) var lines: [ArraySlice<UInt8>] = []

  private enum Place {
    case outside, headers, message, signature
  }

  /// Reads a text; a byte order mark and the CR of CRLF are left out.
  init(_ bytes: [UInt8]) {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    let all = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    let isSigned = all.contains { Self.is($0, "-----BEGIN PGP SIGNED MESSAGE-----") }
    var place = Place.outside
    for line in all {
      guard !step(&place, line), place == .message || (place == .outside && !isSigned) else { continue }
      lines.append(Self.plain(line, isSigned: place == .message))
    }
  }

  /// Whether the line belongs to the wrapping; what follows it may be in another place.
  private func step(_ place: inout Place, _ line: ArraySlice<UInt8>) -> Bool {
    switch place {
    case .outside, .message:
      if Self.is(line, "-----BEGIN PGP SIGNED MESSAGE-----") {
        place = .headers
      } else if Self.is(line, "-----BEGIN PGP SIGNATURE-----") {
        place = .signature
      } else {
        return false
      }
    // `Hash: SHA512` and the like, up to an empty line.
    case .headers: if Self.is(line, "") { place = .message }
    case .signature: if Self.is(line, "-----END PGP SIGNATURE-----") { place = .outside }
    }
    return true
  }

  private static func `is`(_ line: ArraySlice<UInt8>, _ text: String) -> Bool {
    guard line.count < 1000, line.starts(with: text.utf8) else { return false }
    return line.dropFirst(text.utf8.count).allSatisfy { $0.isBlank || $0 == 0x0D }
  }

  /// In a signed message a line may have `- ` before it, and one that begins with a dash has.
  private static func plain(_ line: ArraySlice<UInt8>, isSigned: Bool) -> ArraySlice<UInt8> {
    let text = line.last == 0x0D ? line.dropLast() : line
    return isSigned && text.starts(with: "- ".utf8) ? text.dropFirst(2) : text
  }
}
