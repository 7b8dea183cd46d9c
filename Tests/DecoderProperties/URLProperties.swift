internal import DownloadCore
internal import DownloadEngine

/// A URL that is accepted is http or https, stays the same when it is read again, and leads from https to https alone.
enum URLProperties {
  /// The first line is typed; what follows is a Location of the answer.
  static func check(_ text: String) throws(BrokenProperty) {
    try checkSource(String(text.prefix { $0 != "\n" }))
    let lines = text.unicodeScalars.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    switch read(String(lines[0])) {
    case .success(let url):
      try checkURL(url)
      if lines.count > 1 { try checkFollow(String(lines[1]), from: url) }
    case .failure(let error):
      try require(error.failure == .usage, "not the typist's fault: \(error)")
      try require(!error.message.unicodeScalars.contains(where: \.isHidden), "shown: \(error)")
    }
  }

  /// As typed.
  static func read(_ text: String) -> Result<RemoteURL, DownloadError> {
    Result { () throws(DownloadError) in try URLParser.parse(typed: text) }
  }

  /// Of every scheme that a user may type: the same when it is read again, and of ftp and file no more than a path.
  private static func checkSource(_ text: String) throws(BrokenProperty) {
    guard let url = try? URLParser.parse(typed: text, allowing: .all), !url.isWeb else { return }
    try require(url.isFTP || url.isFile, "the scheme \(url.scheme)")
    try require(url.isFile == url.host.isEmpty && url.isFile == (url.port == 0), "\(url)")
    try require(url.query == nil && !url.lastPathPart.isEmpty && url.path.first == "/", "\(url)")
    try require(!url.path.lowercased().contains(";type="), "\(url)")
    try require(PercentCoding.decodedBytes(url.path).allSatisfy { $0 >= 0x20 && $0 != 0x7f }, "\(url)")
    var bare = url
    (bare.userInfo, bare.fragment) = (nil, nil)
    guard let again = try? URLParser.parse(typed: url.absolute, allowing: .all) else {
      throw BrokenProperty("\(url.absolute) is refused; from \(url)")
    }
    try require(again == bare, "\(again) is not \(bare)")
    guard case .failure = read(text) else { throw BrokenProperty("\(text) is for users alone") }
  }

  private static func checkURL(_ url: RemoteURL) throws(BrokenProperty) {
    try require(["http", "https"].contains(url.scheme), "the scheme \(url.scheme)")
    try require(!url.host.isEmpty && 1...65_535 ~= url.port && url.path.first == "/", "\(url)")
    try require(url.absolute.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "#") }, "\(url)")
    try checkIsRead(url.absolute, as: url)
    try checkForms(url)
  }

  /// What is asked for, and kept in the manifest, is the same when it is read again.
  private static func checkIsRead(_ text: String, as url: RemoteURL) throws(BrokenProperty) {
    var bare = url
    (bare.userInfo, bare.fragment) = (nil, nil)
    guard case .success(let again) = read(text) else { throw BrokenProperty("\(text) is refused; from \(url)") }
    try require(again == bare && again.absolute.hasSameBytes(as: bare.absolute), "\(again) is not \(bare)")
  }

  private static func checkForms(_ url: RemoteURL) throws(BrokenProperty) {
    guard case .success(let kept) = read(url.withoutSecrets) else {
      throw BrokenProperty("\(url.withoutSecrets) is refused; from \(url)")
    }
    try require(!kept.hasSecretQuery && kept.withoutSecrets == url.withoutSecrets, "kept: \(kept)")
    try require(kept.redacted == url.withoutSecrets, "blanked once more: \(kept)")
    try require(url.hasSecretQuery == (url.redacted != url.absolute), "a secret of \(url) in \(url.redacted)")
    try require(!url.redacted.unicodeScalars.contains(where: \.isHidden), "shown: \(url.redacted)")
    guard let name = FileName.fromURLPath(url.lastPathPart) else { return }
    try require(FileName.typedNameProblem(name) == nil, "the name \(name)")
  }

  private static func checkFollow(_ location: String, from url: RemoteURL) throws(BrokenProperty) {
    guard let next = URLParser.follow(location, from: url) else { return }
    try checkURL(next)
    try require(next.userInfo == nil, "a login from \(location)")
    try require(next.scheme == "https" || url.scheme == "http", "from https to \(next)")
  }
}
