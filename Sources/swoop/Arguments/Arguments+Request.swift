internal import DownloadCore
internal import DownloadEngine

extension Arguments {
  /// The jobs of `swoop URL...`, all checked before the first runs.
  func requests() throws(DownloadError) -> [DownloadRequest] {
    guard !self.operands.isEmpty || input != nil else { throw .usage("no URL was given; try 'swoop -h'") }
    let operands = operands.filter { !isMetalinkFile($0) }
    for operand in operands { try TypedURL.check(operand, kind: FileLook.kind) }
    try checkSeveral()
    try checkFiles()
    let target = try OutputName.target(output: output, directory: directory, kind: FileLook.kind)
    var requests: [DownloadRequest] = []
    // A pasted line may come from anybody.
    let schemes: URLParser.Schemes = isPasted ? .web : .all
    for operand in operands {
      let url = try URLParser.parse(typed: operand, allowing: schemes)
      requests.append(try configured(DownloadRequest(url: url), target: target))
    }
    try Self.checkTargets(requests)
    try checkRange(target)
    return requests
  }

  /// The job of an entry of a list, whose options these are.
  func request(ofEntry url: String) throws(DownloadError) -> DownloadRequest {
    guard !url.contains(where: \.isWhitespace) else {
      throw .usage("a URL has no blanks: they are written as %20, and a comment needs a line of its own")
    }
    guard !isMetalinkFile(url) else {
      throw .usage("lists take URLs, and '\(url)' is a file that is here: a metalink belongs on the command line")
    }
    try TypedURL.check(url, kind: FileLook.kind)
    try checkFiles()
    let target = try OutputName.target(ofEntry: output, directory: directory, kind: FileLook.kind)
    try checkRange(target)
    return try configured(DownloadRequest(url: URLParser.parse(typed: url)), target: target)
  }

  /// The job of `swoop resume NAME.part`, from the URL that the manifest keeps.
  func request(
    resuming part: PartName, from url: String, urlIsIncomplete: Bool
  ) throws(DownloadError) -> DownloadRequest {
    guard newURL != nil || !urlIsIncomplete else {
      throw DownloadError(
        .manifestUnusable,
        "\(part.path) does not keep the secret part of its URL; go on with 'swoop resume \(part.path) --url URL'")
    }
    if let newURL { try TypedURL.check(newURL, kind: FileLook.kind) }
    try checkFiles()
    var target = DownloadRequest.Target()
    target.folder = part.folder
    target.name = part.name
    var request = try configured(DownloadRequest(url: source(of: part, from: url)), target: target)
    request.acceptsNewURL = newURL != nil
    return request
  }

  /// Anybody can write a manifest: what may be asked besides http and https, a user names.
  private func source(of part: PartName, from url: String) throws(DownloadError) -> RemoteURL {
    if let newURL { return try URLParser.parse(typed: newURL, allowing: .all) }
    let found = try URLParser.parse(typed: url, allowing: .all)
    guard found.isWeb else { throw .untypedScheme(part: part.path, scheme: found.scheme) }
    return found
  }

  func configured(
    _ empty: DownloadRequest, target: DownloadRequest.Target
  ) throws(DownloadError) -> DownloadRequest {
    var request = empty
    request.target = target
    request.target.usesContentDisposition = usesContentDisposition
    request.digests = digests
    request.range = range
    request.outputOffset = outputOffset
    request.keepsManifest = keepsManifest
    // What an address names is the digest of the whole file.
    for digest in range == nil ? try Number.digests(inFragmentOf: request.url) : [] {
      try request.digests.demand(digest)
    }
    request.checksServerDigest = checksServerDigest
    request.maximumSize = maximumSize
    request.connections = connections
    request.mirrors = try typedMirrors()
    try checkFamily(of: request.url)
    request.minimumSplit = minimumSplit
    request.timeouts = timeouts
    request.rateLimit = rateLimit
    if let window { request.window = window }
    request.replacesExisting = replacesExisting
    request.restarts = restarts
    request.preallocates = preallocates
    request.keepsServerTime = keepsServerTime
    request.isDryRun = isDryRun
    request.http = try httpWithNetrc()
    Self.add(try Self.withoutFiles(headers), to: &request.http)
    request.http.credentials = http.credentials ?? Self.complete(request.url.userInfo)
    return request
  }

  private func typedMirrors() throws(DownloadError) -> [Mirror] {
    var found: [Mirror] = []
    for text in mirrors {
      do throws(DownloadError) {
        try TypedURL.check(text, kind: FileLook.kind)
        let url = try URLParser.parse(typed: text)
        // Who typed a login meant it to be sent.
        guard url.userInfo == nil else { throw .usage("\(url.redacted): a login goes to the URL's own server alone") }
        try checkFamily(of: url)
        found.append(Mirror(url: url, isTyped: true))
      } catch {
        throw .usage("--mirror: \(error.message)")
      }
    }
    return found
  }

  /// What goes along with requests, with the netrc file where one is wanted, which must be there then.
  func httpWithNetrc() throws(DownloadError) -> HTTPOptions {
    guard usesNetrc else { return http }
    var http = http
    guard let path = Environment.netrc else { throw .usage("--netrc: there is no HOME, and NETRC names no file") }
    try FileLook.check(path, for: "--netrc")
    http.netrc = path
    return http
  }

  /// Only `-u` asks for a password: a URL without one has an empty one, as in curl.
  private static func complete(_ userInfo: RemoteURL.UserInfo?) -> RemoteURL.UserInfo? {
    userInfo.map { RemoteURL.UserInfo(user: $0.user, password: $0.password ?? "") }
  }

  /// Header lines, with those of files in the files' places.
  static func withoutFiles(_ sources: [HeaderSource]) throws(DownloadError) -> [HeaderSource] {
    var lines: [HeaderSource] = []
    for source in sources {
      guard case .file(let path) = source else {
        lines.append(source)
        continue
      }
      lines += try withoutFiles(HeaderLine.fields(ofFile: FileLook.text(of: path, for: "--header")))
    }
    return lines
  }

  private static func add(_ lines: [HeaderSource], to http: inout HTTPOptions) {
    for line in lines {
      switch line {
      case .field(let field): http.headers.append(field)
      case .suppression(let name): http.suppressedHeaders.append(name)
      case .file: break
      }
    }
  }
}

extension Arguments {
  /// What `--range` and `--output-offset` need and what does not go with them.
  private func checkRange(_ target: DownloadRequest.Target) throws(DownloadError) {
    guard range == nil || checksumFile == nil else {
      throw .usage(
        "--checksum-file has the digests of whole files, and --range is a part; give its own by --sha256 HEX")
    }
    guard range == nil || !(usesMetalinks || operands.contains(where: isMetalinkFile)) else {
      throw .usage(
        "--metalink has sizes and digests of whole files, and --range is a part; --mirror names more sources")
    }
    guard let outputOffset else { return }
    guard target.name != nil else { throw .usage("--output-offset needs the file that the bytes go into: -o FILE") }
    guard let range = range?.beforeLength, range.end != unknownEnd else {
      throw .usage("--output-offset needs a range with both ends: --range A-B")
    }
    guard outputOffset <= Manifest.mostLength - range.count else {
      throw .usage("--output-offset \(outputOffset) lies where no file has bytes")
    }
  }

  /// Asks for the password that `-u NAME` left out.
  func withPassword(_ request: DownloadRequest) throws(DownloadError) -> DownloadRequest {
    guard let user = http.credentials, user.password == nil else { return request }
    var request = request
    request.http.credentials?.password = try PasswordPrompt.ask(for: user.user)
    return request
  }

  private func checkSeveral() throws(DownloadError) {
    guard operands.count > 1 || input != nil else { return }
    let several = input == nil ? "there are several URLs" : "--input may hold several"
    guard !sendsToStandardOutput else { throw .usage("--output - sends one file, and \(several)") }
    guard output == nil else { throw .usage("--output names one file, and \(several); use --directory") }
    guard digests.isEmpty else { throw .usage("a digest is that of one file, and \(several)") }
    guard mirrors.isEmpty else { throw .usage("--mirror is another address of one file, and \(several)") }
    if input != nil, usesMetalinks { throw .usage("--metalink is for the URLs of the command line, not for --input") }
    guard input == "-" else { return }
    if configuration == "-" { throw .usage("--config and --input cannot both be standard input") }
    if checksumFile == "-" { throw .usage("--checksum-file and --input cannot both be standard input") }
    if headers.contains(.file("-")) { throw .usage("--header and --input cannot both be standard input") }
  }

  private func checkFiles() throws(DownloadError) {
    try FileLook.check(http.authorities, for: "--cacert")
    try FileLook.check(http.certificate, for: "--cert")
    try FileLook.check(http.key, for: "--key")
  }

  func checkSeveralParts() throws(DownloadError) {
    guard operands.count > 1 else { return }
    guard newURL == nil else { throw .usage("--url is the address of one file, and there are several parts") }
    guard digests.isEmpty else { throw .usage("a digest is that of one file, and there are several parts") }
    guard mirrors.isEmpty else { throw .usage("--mirror is another address of one file, and there are several parts") }
  }

  /// Two URLs whose files would have the same name.
  static func checkTargets(_ requests: [DownloadRequest]) throws(DownloadError) {
    var earlier: Set<String> = []
    for request in requests {
      let name = FileName.fromURLPath(request.url.lastPathPart) ?? FileName.fallback
      guard earlier.insert(name).inserted else {
        throw .usage(
          "two of the URLs would both be saved as '\(name)'; fetch them one by one, with --output,"
            + " or as a list, -i, with output=NAME below each")
      }
    }
  }
}
