import FaultCatalogue
import TestSupport
import Testing

/// What servers offer beside the file, and nobody asked for (H20 to H22).
@Suite(.waiting) struct UnaskedTests {
  /// H21: fields that name other places: nobody is connected to, nothing is read.
  @Test(
    .row("H21"),
    arguments: [
      ("Link", "<http://127.0.0.1:PORT/evil>; rel=duplicate; pri=1"), ("Link", "<file:///etc/passwd>; rel=duplicate"),
      ("Link", "<ftp://127.0.0.1:PORT/evil>; rel=duplicate"), ("Link", "<http://127.0.0.1:PORT/evil>; rel=canonical"),
      ("Link", "<http://127.0.0.1:PORT/x.meta4>; rel=describedby; type=\"application/metalink4+xml\""),
      ("Refresh", "0; url=http://127.0.0.1:PORT/evil"), ("Content-Location", "http://127.0.0.1:PORT/evil"),
      ("Alt-Svc", "http/1.1=\"127.0.0.1:PORT\"; ma=3600; persist=1"), ("Location", "http://127.0.0.1:PORT/evil"),
      ("Strict-Transport-Security", "max-age=31536000"), ("Upgrade", "h2c"),
    ])
  func otherPlacesAreNotFollowed(name: String, value: String) throws {
    let evil = try ScriptedServer(.file(.other))
    let fields: HTTPFields = [name: value.replacing("PORT", with: "\(evil.port)")]
    // The download needs a second connection while the first one's head is known.
    let trial = try Trial(.ten) { request in
      .file(.ten) {
        $0.headers = fields
        if request.method == "GET", request.indexOfMethod < 2 { $0.cutAfter = 300_000 }
      }
    }
    try trial.expect(trial.run("-v"), exit: 0, .file)
    #expect(evil.log.connections == 0)
  }

  /// H20: a cookie that one host sets is given to none, be it a redirect's.
  @Test(.row("H20")) func cookiesOfARedirect() throws {
    let trial = try Trial(.ten) { request in
      let cookies: HTTPFields = ["Set-Cookie": "planted=S3CR3T; Path=/; Domain=127.0.0.1"]
      return request.path == "/file.bin" ? .redirect(to: "/moved", headers: cookies) : .file(.ten)
    }
    try trial.expect(trial.run("-v", "-b", "mine=1"), exit: 0, .file)
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["Cookie"] == "mine=1" })
  }

  /// H22: a list of files is a file like any other: its bytes are saved, nothing in them is done.
  @Test(
    .row("H22"),
    arguments: [
      ("application/metalink4+xml", "list.meta4"), ("application/metalink+xml", "list.metalink"),
      ("text/plain", "SHA256SUMS"), ("application/x-bittorrent", "list.torrent"),
    ])
  func listsAreSavedAndNotRead(type: String, name: String) throws {
    let evil = try ScriptedServer(.file(.other))
    let content = Content.text(Self.laughs(evil.url("/evil")))
    let trial = try Trial(content, path: "/\(name)", name: name) { _ in
      .file(content) { $0.headers = ["Content-Type": type] }
    }
    try trial.expect(trial.run(), exit: 0, .file)
    try trial.expect(trial.run(), exit: 0, .file, says: "already complete")
    #expect(evil.log.connections == 0)
  }

  private static func laughs(_ url: String) -> String {
    let entities = (1..<10).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }
    return """
      <?xml version="1.0"?><!DOCTYPE m [<!ENTITY l0 "ha"><!ENTITY f SYSTEM "file:///etc/passwd">\(entities.joined())]>
      <metalink><file name="../../../tmp/evil"><url>\(url)</url><url>file:///etc/passwd</url>&l9;&f;</file></metalink>
      0000000000000000000000000000000000000000000000000000000000000000  ../../evil

      """
  }
}
