/// An absolute URL of http, https, ftp, ftps or file, split and normalised by libcurl's parser.
package struct RemoteURL: Hashable, Sendable {
  /// In lower case.
  package var scheme: String
  /// An IPv6 address keeps its brackets; empty for a file.
  package var host: String
  /// The scheme's own where the URL names none; 0 for a file.
  package var port: Int
  /// Percent-encoded, begins with `/`.
  package var path: String
  /// Percent-encoded, without the `?`; nil where there is none.
  package var query: String?
  /// `user` or `user:password` as the URL carried it, percent-decoded; never part of `absolute`.
  package var userInfo: UserInfo?
  /// Percent-encoded, without the `#`.
  package var fragment: String?

  /// A login.
  package struct UserInfo: Hashable, Sendable {
    /// Percent-decoded.
    package var user: String
    /// Percent-decoded; nil where there is none, not even an empty one.
    package var password: String?
    /// Takes both as they are.
    package init(user: String, password: String?) {
      self.user = user
      self.password = password
    }
  }

  /// Takes parts that are normalised already.
  package init(
    scheme: String, host: String, port: Int, path: String, query: String? = nil, userInfo: UserInfo? = nil,
    fragment: String? = nil
  ) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = path
    self.query = query
    self.userInfo = userInfo
    self.fragment = fragment
  }

  /// The scope of credentials and of every header that a user gave (RFC 6454).
  package struct Origin: Hashable, Sendable {
    /// In lower case.
    package var scheme: String
    /// In lower case.
    package var host: String
    /// The scheme's own where the URL names none.
    package var port: Int
  }

  /// The origin of the file, to compare with that of a redirect.
  package var origin: Origin { Origin(scheme: scheme, host: host.lowercased(), port: port) }

  private var hasDefaultPort: Bool { port == defaultPort }

  private var defaultPort: Int {
    switch scheme {
    case "https": 443
    case "ftp": 21
    case "ftps": 990
    case "file": 0
    default: 80
    }
  }

  private var authority: String { hasDefaultPort ? host : "\(host):\(port)" }

  /// What is asked for: scheme, host, path and query; no user info and no fragment.
  package var absolute: String { "\(scheme)://\(authority)\(path)" + (query.map { "?\($0)" } ?? "") }

  /// The last part of the path, still percent-encoded; empty where the path ends in a slash.
  package var lastPathPart: Substring {
    path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
  }
}

extension RemoteURL {
  /// http or https.
  package var isWeb: Bool { scheme == "http" || scheme == "https" }
  /// ftp or ftps.
  package var isFTP: Bool { scheme == "ftp" || scheme == "ftps" }
  /// A file of this machine.
  package var isFile: Bool { scheme == "file" }
  /// Whoever is on the way can read and change what is sent.
  package var isOpenToAll: Bool { scheme == "http" || scheme == "ftp" }
}

extension RemoteURL {
  /// As shown to people and in logs: no user info, and the values of secret query parameters blanked.
  package var redacted: String {
    "\(scheme)://\(authority)\(path)" + (query.map { "?\(Self.redact($0) ?? $0)" } ?? "")
  }

  /// As the manifest keeps it: no user info, no fragment, and no query parameters that look like a secret.
  package var withoutSecrets: String {
    guard let query else { return absolute }
    let kept = query.split(separator: "&", omittingEmptySubsequences: false).filter { !Self.isSecret($0) }
    return "\(scheme)://\(authority)\(path)" + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
  }

  /// Whether the query holds something that the manifest must not keep.
  package var hasSecretQuery: Bool {
    query.map { $0.split(separator: "&").contains(where: Self.isSecret) } ?? false
  }

  private static func redact(_ query: String) -> String? {
    let parts = query.split(separator: "&", omittingEmptySubsequences: false)
    guard parts.contains(where: isSecret) else { return nil }
    return parts.map { part in
      guard isSecret(part), let value = valueOffset(in: Array(part.utf8)[...]) else { return String(part) }
      return String(decoding: part.utf8.prefix(value), as: UTF8.self) + "***"
    }.joined(separator: "&")
  }

  /// Where the value of a query parameter begins: behind its first `=`, which some servers take encoded as well. Nil
  /// where there is none.
  package static func valueOffset(in parameter: ArraySlice<UInt8>) -> Int? {
    for index in parameter.indices {
      if parameter[index] == UInt8(ascii: "=") { return index + 1 }
      let next = parameter[index...].prefix(3)
      if next.elementsEqual("%3D".utf8) || next.elementsEqual("%3d".utf8) { return index + 3 }
    }
    return nil
  }

  /// Whether a query parameter, `name=value`, has one of the names under which signatures and tokens travel: those of
  /// S3, Azure, Google, CloudFront and the usual. An encoded name is the same name to the server, and some servers also
  /// take `;` for a separator.
  package static func isSecret(_ parameter: Substring) -> Bool {
    parameter.unicodeScalars.split(separator: ";").contains { part in
      // Some servers decode before they look for the `=`.
      let decoded = PercentCoding.decodedText(String(part)).lowercased()
      let name = decoded.unicodeScalars.prefix { $0 != "=" }
      return name.endIndex < decoded.unicodeScalars.endIndex && isSecretName(String(name))
    }
  }

  private static func isSecretName(_ name: String) -> Bool {
    let whole: Set = [
      "sig", "se", "sp", "sv", "st", "spr", "sr", "key", "auth", "policy", "expires", "pass", "passphrase", "pwd",
      "jwt", "code", "hmac",
    ]
    let pieces = [
      "signature", "token", "secret", "password", "passwd", "credential", "x-amz-", "x-goog-", "apikey", "api_key",
      "api-key",
      "access_key", "accesskey", "key-pair-id", "session",
    ]
    return whole.contains(name) || pieces.contains { name.contains($0) }
  }
}
