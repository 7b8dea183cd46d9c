internal import DownloadCore

/// Bytes of one word of the command line that nobody else should read.
struct SecretSpan: Hashable, Sendable {
  /// The word's place after the command's own name.
  var word: Int
  var bytes: Range<Int>
}

/// Which part of a value is secret.
enum SecretPart: Sendable {
  case whole
  /// All after the first colon.
  case password
  /// The value of a header whose name tells that it is a secret.
  case headerValue
  /// User info and the values of secret query parameters.
  case url

  /// The secret parts of a value, as ranges of its UTF-8 bytes.
  func ranges(in value: String) -> [Range<Int>] {
    let bytes = Array(value.utf8)
    let ranges =
      switch self {
      case .whole: [0..<bytes.count]
      case .password: Self.afterColon(bytes)
      case .headerValue: Redactor.isSecretHeader(String(value.prefix { $0 != ":" })) ? Self.afterColon(bytes) : []
      case .url: Self.userInfo(bytes) + Self.secretParameters(bytes)
      }
    return ranges.filter { !$0.isEmpty }
  }

  private static func afterColon(_ bytes: [UInt8]) -> [Range<Int>] {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return [] }
    let start = bytes[(colon + 1)...].firstIndex { $0 != UInt8(ascii: " ") } ?? bytes.count
    return [start..<bytes.count]
  }

  /// What stands before the last `@` of the authority.
  private static func userInfo(_ bytes: [UInt8]) -> [Range<Int>] {
    let start = startOfAuthority(bytes)
    let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) else { return [] }
    return [start..<at]
  }

  private static func startOfAuthority(_ bytes: [UInt8]) -> Int {
    let mark = Array("://".utf8)
    let end = bytes.firstIndex { "?#".utf8.contains($0) } ?? bytes.count
    return (0..<max(0, end - mark.count + 1)).first { bytes[$0..<$0 + mark.count].elementsEqual(mark) }
      .map { $0 + mark.count } ?? 0
  }

  private static func secretParameters(_ bytes: [UInt8]) -> [Range<Int>] {
    guard let question = bytes.firstIndex(of: UInt8(ascii: "?")) else { return [] }
    return bytes[(question + 1)...].split(separator: UInt8(ascii: "&")).compactMap { parameter in
      guard RemoteURL.isSecret(Substring(decoding: parameter, as: UTF8.self)),
        let value = RemoteURL.valueOffset(in: parameter)
      else { return nil }
      return value..<parameter.endIndex
    }
  }
}
