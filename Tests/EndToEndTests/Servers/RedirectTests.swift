import FaultCatalogue
import TestSupport
import Testing

/// Redirects: where they may lead, and what goes with them (H01, H02, H04, H05, H07).
@Suite(.waiting) struct RedirectTests {
  private static let refused = "redirect refused"

  @Test(.row("H01"), arguments: ["loop", "pair", "chain"])
  func endless(kind: String) throws {
    let trial = try Trial(.ten) { request in
      switch kind {
      case "loop": .redirect(to: request.target)
      case "pair": .redirect(to: request.path == "/file.bin" ? "/other" : "/file.bin")
      default: .redirect(to: request.path + "x")
      }
    }
    try trial.expect(trial.run(), exit: 4, .nothing, says: Self.refused)
    // HEAD is a hint: where it is led astray, the first GET is asked.
    #expect(trial.server.log.methods.filter { $0 == "GET" }.count == 11)
    #expect(trial.server.log.entries.count <= 22)
    try trial.expectCleanRerun()
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func tenAreFollowed(status: Int) throws {
    let trial = try Trial(.ten) { request in
      let count = request.path.count(where: { $0 == "x" })
      return count < 10 ? .redirect(status, to: "/f" + String(repeating: "x", count: count + 1)) : .file(.ten)
    }
    // The name is the URL's as typed, not that of the place where it leads.
    try trial.expect(trial.run(), exit: 0, .file)
  }

  /// H02, H07: nothing is read, and nothing of it printed that is secret or moves a cursor.
  @Test(
    .row("H02", "H07"),
    arguments: [
      "file:///etc/passwd", "data:text/plain,hello", "javascript:alert(1)", "FILE:///etc/passwd", "http://", "http:///",
      "http://127.0.0.1:0/x", "http://127.0.0.1:99999/", "http://[::1", "http://me:S3CR3T@127.0.0.1/x",
      "//me:S3CR3T@127.0.0.1/x?token=S3CR3T", "", "http://\u{9B}2J:99999/", "http://a\u{202E}b:99999/x",
    ])
  func nowhereToGo(location: String) throws {
    for refusesHead in [false, true] {
      let trial = try Trial(.ten) { request in
        refusesHead && request.method == "HEAD" ? .status(405) : .redirect(to: location)
      }
      try trial.expect(trial.run("-v"), exit: 4, .nothing, says: Self.refused)
    }
  }

  /// H02: a listener of each scheme's kind is never connected to, whether HEAD, GET or all are led there. HEAD alone may
  /// be: GET is right.
  @Test(
    .row("H02"),
    arguments: [
      "ftp", "ftps", "gopher", "gophers", "scp", "sftp", "dict", "smb", "smbs", "ldap", "ldaps", "telnet", "imap",
      "imaps", "pop3", "pop3s", "smtp", "smtps", "rtsp", "rtmp", "tftp", "mqtt", "ws", "wss", "FTP",
    ])
  func nobodyIsConnectedTo(scheme: String) throws {
    let listener = try ScriptedServer(.file(.ten))
    for redirected in ["HEAD", "GET", "all"] {
      let trial = try Trial(.ten) { request in
        guard redirected == "all" || request.method == redirected else {
          return redirected == "GET" ? .status(405) : .file(.ten)
        }
        return .redirect(to: "\(scheme)://127.0.0.1:\(listener.port)/file.bin")
      }
      let result = try trial.run("-v")
      guard redirected != "HEAD" else {
        try trial.expect(result, exit: 0, .file)
        continue
      }
      try trial.expect(result, exit: 4, .nothing, says: Self.refused)
      if redirected == "all" { try trial.expectCleanRerun() }
    }
    #expect(listener.log.connections == 0)
  }

  @Test(.row("H07")) func noLocation() throws {
    let trial = try Trial(.ten, .status(302))
    try trial.expect(trial.run(), exit: 4, .nothing, says: "leads to nowhere")
  }

  /// H02, when the download is under way already.
  @Test(.row("H02")) func nowhereToGoLater() throws {
    let trial = try Trial(.ten) { request in
      if request.method == "GET", request.indexOfMethod >= 4 { return .redirect(to: "file:///etc/passwd") }
      return .file(.ten) { if request.method == "GET" { $0.cutAfter = 300_000 } }
    }
    try trial.expect(trial.run(), exit: 4, .part, says: Self.refused)
    try trial.expectCleanRerun()
  }

  /// H04, H05: another port of the same host is another origin; nothing secret goes there, nor to a third one, nor
  /// into any message, nor into the manifest.
  @Test(.row("H04", "H05"), arguments: [false, true])
  func secretsStayAtTheirOrigin(isCutOff: Bool) throws {
    let trial = try Trial(.ten) { request in
      if request.method == "GET", isCutOff, request.indexOfMethod >= 4 { return .status(404) }
      return .file(.ten) { if isCutOff, request.method == "GET" { $0.cutAfter = 300_000 } }
    }
    let middle = try ScriptedServer(.redirect(to: trial.server.url()))
    let origin = try ScriptedServer { request in
      .redirect(to: middle.url("/hop"), headers: ["Set-Cookie": "planted=S3CR3T; Domain=localhost"])
    }
    let url = "http://S3CR3T-user:S3CR3T@127.0.0.1:\(origin.port)/file.bin?sig=S3CR3T"
    let result = try trial.run(
      "-v", "-H", "Authorization: Bearer S3CR3T", "-H", "X-Api-Key: S3CR3T", "-b", "session=S3CR3T",
      "-e", "http://S3CR3T.example/", url: url)
    try trial.expect(result, exit: isCutOff ? 4 : 0, isCutOff ? .part : .file)
    let asked = origin.log.entries.map(\.request)
    #expect(!asked.isEmpty)
    for request in asked {
      #expect(request.headers["X-Api-Key"] == "S3CR3T" && request.headers["Cookie"] == "session=S3CR3T")
      #expect(request.headers["Authorization"] == "Bearer S3CR3T" && request.target.hasSuffix("sig=S3CR3T"))
    }
    for request in (middle.log.entries + trial.server.log.entries).map(\.request) {
      for field in request.headers.fields { #expect(!field.value.contains("S3CR3T"), "\(field)") }
      #expect(!request.target.contains("S3CR3T"))
      #expect(request.headers["Cookie"] == nil && request.headers["Authorization"] == nil)
      #expect(request.headers["X-Api-Key"] == nil && request.headers["Referer"] == nil)
    }
  }

  /// Credentials by `-u` and by the URL reach the origin, and go back to it after an excursion.
  @Test(arguments: [true, false])
  func credentials(areInTheURL: Bool) throws {
    let trial = try Trial(.ten) { request in
      if request.path == "/file.bin" { return .redirect(to: "/inner") }
      return request.headers["Authorization"] == nil ? .status(401) : .file(.ten)
    }
    let port = trial.server.port
    let result =
      areInTheURL
      ? try trial.run(url: "http://me:S3CR3T@127.0.0.1:\(port)/file.bin") : try trial.run("-u", "me:S3CR3T")
    try trial.expect(result, exit: 0, .file)
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["Authorization"] == "Basic bWU6UzNDUjNU" })
  }

  /// H07: resolved as RFC 3986 says.
  @Test(.row("H07")) func relative() throws {
    let other = try ScriptedServer(.file(.ten))
    for location in ["//127.0.0.1:\(other.port)/x", "../y/./z", "?q=1", "file.bin?again", "/a%0d%0aX-Evil:%20yes"] {
      let trial = try Trial(.ten) { request in
        request.target == "/file.bin" ? .redirect(to: location) : .file(.ten)
      }
      try trial.expect(trial.run("-v"), exit: 0, .file)
      #expect(trial.server.log.entries.allSatisfy { $0.request.headers["X-Evil"] == nil })
    }
    #expect(other.log.entries.allSatisfy { $0.request.target == "/x" } && other.log.entries.count > 1)
  }

  /// H07: control bytes in it are neither followed nor printed.
  @Test(.row("H07"), arguments: 0..<5)
  func hostileLocation(index: Int) throws {
    let locations = [
      "http://127.0.0.1/\u{1B}]0;pwn\u{7}", "/a\rX-Evil: yes", "/\u{9B}2J", "/a\tb",
      "/" + String(repeating: "a", count: 50_000),
    ]
    let trial = try Trial(.ten) { request in
      request.target == "/file.bin"
        ? .raw("HTTP/1.1 302 Found\r\nLocation: \(locations[index])\r\nContent-Length: 0\r\n\r\n") : .status(404)
    }
    try trial.expect(trial.run("-v"), exit: 4, .nothing)
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["X-Evil"] == nil })
    try trial.expectCleanRerun()
  }

  @Test(.row("H07")) func locationOfOneMegabyte() throws {
    let trial = try Trial(.ten, .redirect(to: "/" + String(repeating: "a", count: 1 << 20)))
    try trial.expect(trial.run(), exit: 4, .nothing, says: "response headers too large")
    try trial.expectCleanRerun()
  }
}
