/// What an option of curl's means to a download of one file (curl(1)).
enum CurlOption: Hashable, Sendable {
  case value(CurlCommandLine.Part)
  /// `-X`.
  case method
  /// It makes the request something else than a GET.
  case otherMethod
  case insecure
  /// `-g`.
  case bracketsAsTheyAre
  /// A switch that asks for what is done anyway, or that is about curl's own output.
  case withoutEffect
  case file, proxy, body

  /// Only what is accepted is read; what is refused need not be.
  var takesValue: Bool {
    switch self {
    case .value, .method: true
    default: false
    }
  }

  /// By its name with the dashes; nil for one that is neither accepted nor refused for its kind.
  init?(long name: String) {
    guard let option = Self.long[String(name.dropFirst(2))] else { return nil }
    self = option
  }

  /// By its letter.
  init?(short letter: Character) {
    guard let name = Self.short[letter], let option = Self.long[name] else { return nil }
    self = option
  }

  private static let long: [String: CurlOption] = {
    var options: [String: CurlOption] = [
      "url": .value(.url), "header": .value(.header), "cookie": .value(.cookie), "user-agent": .value(.userAgent),
      "referer": .value(.referer), "user": .value(.user), "request": .method, "insecure": .insecure,
      "globoff": .bracketsAsTheyAre, "head": .otherMethod,
    ]
    for name in idle { options[name] = .withoutEffect }
    for name in files { options[name] = .file }
    for name in proxies { options[name] = .proxy }
    for name in bodies { options[name] = .body }
    return options
  }()

  private static let short: [Character: String] = [
    "H": "header", "b": "cookie", "A": "user-agent", "e": "referer", "u": "user", "X": "request", "k": "insecure",
    "g": "globoff", "I": "head", "L": "location", "s": "silent", "S": "show-error", "f": "fail", "O": "remote-name",
    "J": "remote-header-name", "R": "remote-time", "N": "no-buffer", "i": "include", "v": "verbose",
    "#": "progress-bar", "q": "disable", "G": "get", "o": "output", "K": "config", "c": "cookie-jar",
    "D": "dump-header", "T": "upload-file", "E": "cert", "n": "netrc", "x": "proxy", "U": "proxy-user",
    "p": "proxytunnel", "d": "data", "F": "form",
  ]

  private static let idle = [
    "compressed", "location", "silent", "show-error", "fail", "fail-with-body", "remote-name", "remote-header-name",
    "remote-time", "no-buffer", "include", "verbose", "progress-bar", "no-progress-meter", "disable", "get", "basic",
    "create-dirs", "tcp-nodelay", "http1.1", "http2", "http2-prior-knowledge", "http3",
  ]
  private static let files = [
    "output", "output-dir", "config", "cookie-jar", "dump-header", "upload-file", "cert", "key", "cacert", "capath",
    "crlfile", "netrc", "netrc-file", "netrc-optional", "trace", "trace-ascii", "stderr", "etag-save", "etag-compare",
    "hsts", "alt-svc", "unix-socket", "abstract-unix-socket", "libcurl", "egd-file", "random-file", "pubkey",
  ]
  private static let proxies = [
    "proxy", "preproxy", "socks4", "socks4a", "socks5", "socks5-hostname", "proxy1.0", "proxy-user", "proxytunnel",
    "proxy-header", "proxy-insecure", "noproxy",
  ]
  private static let bodies = [
    "data", "data-raw", "data-ascii", "data-binary", "data-urlencode", "json", "form", "form-string", "url-query",
  ]
}
