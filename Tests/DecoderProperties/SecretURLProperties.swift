internal import DownloadCore
internal import DownloadEngine

/// Secrets that are put into a URL are in nothing that is shown or kept of it.
enum SecretURLProperties {
  private static let secret = "S3CR3T"

  /// Lines to build a URL of: a name, what stands before and behind the password, the host, the path, the name of a
  /// parameter, a parameter behind it, and a fragment.
  static func check(_ text: String) throws(BrokenProperty) {
    guard !text.contains(secret) else { return }
    var pieces = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    while pieces.count < 8 { pieces.append("") }
    try checkLogin(pieces)
    try checkParameter(pieces)
  }

  private static func checkLogin(_ pieces: [String]) throws(BrokenProperty) {
    let login = "\(pieces[0]):\(pieces[1])\(secret)\(pieces[2])"
    // These end the authority: what stands behind them is no login.
    guard !holds("/?#\\", login) else { return }
    let typed = "https://\(login)@\(pieces[3])/\(pieces[4])?\(pieces[5])=\(pieces[6])#\(pieces[7])"
    try checkShown(of: typed)
    try requireClean(Redactor.text(typed), of: typed)
  }

  private static func checkParameter(_ pieces: [String]) throws(BrokenProperty) {
    let name = pieces[5]
    guard RemoteURL.isSecret("\(name)="[...]), !holds("&;=#", name) else { return }
    guard !holds("?#", pieces[4]), !holds("#", pieces[6]) else { return }
    try checkShown(of: "http://host/\(pieces[4])?\(name)=\(secret)&\(pieces[6])")
    try checkShown(of: "http://host/?\(pieces[6])&\(name)=\(secret)#\(pieces[7])")
  }

  /// Code points, with or without an accent behind them.
  private static func holds(_ marks: String, _ text: String) -> Bool {
    text.unicodeScalars.contains { marks.unicodeScalars.contains($0) }
  }

  private static func checkShown(of typed: String) throws(BrokenProperty) {
    try requireClean(Redactor.header(HeaderField("Location", typed)), of: typed)
    switch URLProperties.read(typed) {
    case .success(let url):
      try requireClean(url.redacted, of: typed)
      try requireClean(url.withoutSecrets, of: typed)
    case .failure(let error):
      try requireClean(error.message, of: typed)
    }
  }

  private static func requireClean(_ shown: String, of typed: String) throws(BrokenProperty) {
    try require(!shown.contains(secret), "a secret of \(typed) in \(shown)")
  }
}
