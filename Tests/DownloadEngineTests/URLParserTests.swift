import DownloadCore
import Testing

@testable import DownloadEngine

/// URLs as people type them.
@Suite struct URLParserTests {
  @Test(arguments: [
    ("http://host/f", "http://host/f"), ("host/f", "http://host/f"), ("HTTPS://HOST/f", "https://HOST/f"),
    ("host:8080/f", "http://host:8080/f"), ("http://host:80/f", "http://host/f"), ("http://host", "http://host/"),
    ("https://host/a b", "https://host/a%20b"), ("https://host/a%20b", "https://host/a%20b"),
    ("https://host/ü", "https://host/%c3%bc"), ("https://host/%C3%BC", "https://host/%C3%BC"),
    ("https://host/f?q=1&r=ü#x", "https://host/f?q=1&r=%c3%bc"), ("[::1]:81/f", "http://[::1]:81/f"),
    ("host/f?next=http://other/g", "http://host/f?next=http://other/g"), ("host/a/../b", "http://host/b"),
    ("http://%33/", "http://0.0.0.3/"), ("http://127%2e1/%33", "http://127.0.0.1/%33"),
    ("127.1/%33", "http://127.0.0.1/%33"),
    ("http://h%6fst/", "http://host/"), ("http://0%78ff/", "http://0.0.0.255/"),
  ])
  func isRead(typed: String, absolute: String) throws {
    #expect(try URLParser.parse(typed: typed).absolute == absolute)
  }

  /// A user's name may begin with an accent: that the slash before it has one makes the scheme no host.
  @Test func anAccentBelongsToWhatFollowsTheSlashes() throws {
    let url = try URLParser.parse(typed: "https://\u{301}me:pw@host/f")
    #expect(url.absolute == "https://host/f" && url.userInfo == RemoteURL.UserInfo(user: "\u{301}me", password: "pw"))
    #expect(throws: DownloadError.self) { try URLParser.parse(typed: "file://\u{301}host/f") }
    #expect(throws: DownloadError.self) { try URLParser.parse(typed: "https:///\u{301}host/f") }
  }

  @Test func userInfoIsNoPartOfIt() throws {
    let url = try URLParser.parse(typed: "http://me:p%40ss@host/f")
    #expect(url.userInfo == RemoteURL.UserInfo(user: "me", password: "p@ss"))
    #expect(url.absolute == "http://host/f" && !url.redacted.contains("p@ss"))
  }

  @Test(arguments: [
    "", "http://", "http:///f", "http://host:0/", "http://host:99999/", "http://ho st/", "://f", "http://[::1/f",
    "file:///etc/passwd", "ftp://host/f", "gopher://host/f", "http://host/\u{1b}[2J", "http://%zz/",
    "http://host\u{202e}f/", "http://host%e2%80%aef/", "http://ho\u{9b}st/", "http://ho%c2%9bst/",
    "http://ho\u{200b}st/", "/me:pw@host/f", "/host/f",
  ])
  func isRefused(typed: String) {
    let error = #expect(throws: DownloadError.self) { try URLParser.parse(typed: typed) }
    #expect(error?.failure == .usage)
  }

  @Test(arguments: [
    ("ftp://host/f", "ftp://host/f"), ("FTP://host:21/a/f", "ftp://host/a/f"), ("ftps://host:990/f", "ftps://host/f"),
    ("ftp://me:pw@host:2121/f;type=i", "ftp://host:2121/f"), ("ftp://host/%2Fetc/f", "ftp://host/%2Fetc/f"),
    ("file:///tmp/a b", "file:///tmp/a%20b"), ("file://localhost/tmp/f", "file:///tmp/f"),
    ("FILE:///tmp/f#sha256=0", "file:///tmp/f"), ("file:///\u{301}f", "file:///%cc%81f"), ("host/f", "http://host/f"),
    ("file:8080/f", "http://file:8080/f"),
  ])
  func isReadWhereUsersTypedIt(typed: String, absolute: String) throws {
    let url = try URLParser.parse(typed: typed, allowing: .all)
    #expect(url.absolute == absolute && url.redacted == absolute && url.withoutSecrets == absolute)
    #expect(try URLParser.parse(typed: absolute, allowing: .all).absolute == absolute)
  }

  /// Nobody but a user names such a URL.
  @Test(arguments: ["ftp://host/f", "ftps://host/f", "file:///etc/passwd", "FTP://host/f"])
  func isForUsersAlone(text: String) throws {
    #expect(throws: DownloadError.self) { try URLParser.parse(typed: text) }
    for base in ["http://host/f", "https://host/f", "ftp://host/f", "file:///tmp/f"] {
      #expect(URLParser.follow(text, from: try URLParser.parse(typed: base, allowing: .all)) == nil)
    }
  }

  @Test(arguments: [
    "ftp://", "ftp:///f", "ftps://", "ftp://host", "ftp://host/", "ftp://host/folder/", "ftp://host:0/f",
    "ftp://host/f;type=a", "ftp://host/f;type=A", "ftp://host/f;TYPE=d", "ftp://host/a;type=i/f", "ftp://host/f?x",
    "ftp://host/%0d%0aDELE%20f", "ftp://host/f%00", "file://", "file:///", "file://host/f", "file://f", "file:/etc/f",
    "file:////host/f", "file:///tmp/", "file:///tmp/f?x", "file:///tmp/%00", "sftp://host/f", "ftp://ho st/f",
    "file://\u{301}host/f",
  ])
  func isRefusedWhoeverTypedIt(typed: String) {
    let error = #expect(throws: DownloadError.self) { try URLParser.parse(typed: typed, allowing: .all) }
    #expect(error?.failure == .usage)
  }

  @Test(arguments: [
    ("ftp://me:S3CR3T@host/f", "***@host/f"), ("http://me:S3CR3T@\u{301}host/?\u{301}sig=S3CR3T", "***@\u{301}host/"),
    ("/\u{1b}#S3CR3T", "/\\u{1B}"),
  ])
  func isRefusedWithoutItsSecrets(location: String, shown: String) throws {
    let url = try URLParser.parse(typed: "https://host/f")
    let head = ResponseHead(status: HTTPStatus(rawValue: 302), fields: [HeaderField("Location", location)])
    let error = #expect(throws: DownloadError.self) { try RedirectRule.next(head, from: url) }
    let message = error?.message ?? ""
    #expect(message.contains(shown) && !message.contains("S3CR3T"), "\(message)")
  }
}
