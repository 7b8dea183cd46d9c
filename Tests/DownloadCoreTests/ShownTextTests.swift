import DownloadCore
import Testing

@Suite struct SanitiserTests {
  @Test(arguments: [
    ("plain naïve 🎉", "plain naïve 🎉"), ("\u{1B}[2J", "\\u{1B}[2J"), ("\u{1B}]0;pwn\u{7}", "\\u{1B}]0;pwn\\u{7}"),
    ("a\r\nb\tc", "a\\u{D}\\u{A}b\\u{9}c"), ("\u{9B}2J\u{7F}", "\\u{9B}2J\\u{7F}"), ("\u{202E}x", "\\u{202E}x"),
    ("\u{2066}\u{2028}\u{200B}\u{FEFF}", "\\u{2066}\\u{2028}\\u{200B}\\u{FEFF}"), ("\0", "\\u{0}"), ("", ""),
  ])
  func line(_ text: String, _ expected: String) { #expect(Sanitiser.line(text) == expected) }

  @Test func cutsToItsLimit() {
    #expect(Sanitiser.line("abcdef", limit: 6) == "abcdef")
    #expect(Sanitiser.line("abcdefg", limit: 6) == "abcde…")
    let zalgo = "e" + String(repeating: "\u{301}", count: 10_000)
    #expect(Sanitiser.line(zalgo).unicodeScalars.count == 200)
  }

  @Test func neverShowsWhatIsHidden() {
    var chance = SeededGenerator(seed: 7)
    for _ in 0..<5_000 {
      let text = String(latin1: chance.bytes(upTo: 300)) + String(decoding: chance.bytes(upTo: 50), as: UTF8.self)
      let line = Sanitiser.line(text)
      #expect(!line.unicodeScalars.contains { $0.isHidden } && line.unicodeScalars.count <= 200)
    }
  }
}

@Suite struct RedactorTests {
  @Test(arguments: [
    "Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-Api-Key", "X-Auth", "X-Amz-Security-Token",
    "My-Secret", "PRIVATE-TOKEN", "X-Session-Id", "X-Password",
  ])
  func blanks(_ name: String) {
    #expect(Redactor.isSecretHeader(name))
    #expect(Redactor.header(HeaderField(name, "S3CR3T")) == "\(name): ***")
  }

  @Test(arguments: ["Content-Length", "ETag", "Server", "Range", "If-Range", "Keep-Alive", "Retry-After", "Location"])
  func shows(_ name: String) {
    #expect(!Redactor.isSecretHeader(name))
    #expect(Redactor.header(HeaderField(name, "x\u{1B}")) == "\(name): x\\u{1B}")
  }

  @Test(arguments: [
    ("https://h/p?sig=S3CR3T", "https://h/p?***"), ("https://u:S3CR3T@h/p", "https://***@h/p"),
    ("//u:S3CR3T@h/p?x", "//***@h/p?***"), ("/p@q", "***@q"), ("u@h", "***@h"), ("https://h/p", "https://h/p"),
    ("@", "***@"), ("/@", "***@"), ("/p#token=S3CR3T?x", "/p#***"), ("u@h//x", "***@h//x"), ("", ""),
    ("https://u:S3/CR3T@h/", "https://***@h/"), ("u:S3//CR3T@h/", "***@h/"), ("https://u:S3//CR3T@h", "https://***@h"),
    ("/u:S3CR3T//x@h", "***@h"), (":S3CR3T//x@h", "***@h"),
  ])
  func blanksAddresses(_ address: String, _ shown: String) {
    #expect(Redactor.header(HeaderField("Location", address)) == "Location: \(shown)")
  }
}

@Suite struct RedactedTextTests {
  @Test(arguments: [
    ("unsupported proxy syntax in 'http://bob:PX@h:x'", "unsupported proxy syntax in 'http://***@h:x'"),
    ("http://a@b@c/d@e and ftp://u:p@h", "http://***@c/d@e and ftp://***@h"), ("no URL", "no URL"),
    ("http://host/path@x?u=http://me:pw@h", "http://host/path@x?u=http://***@h"), ("://", "://"),
    ("in 'http://bob:P'X@h'", "in 'http://***@h'"), ("http://a:b c\"@h/ d@e", "http://***@h/ d@e"),
    ("http://a:b@\u{301}h/", "http://***@\u{301}h/"), ("http://\u{301}a:b@h/", "http://***@h/"),
  ])
  func userInfoIsBlanked(text: String, shown: String) { #expect(Redactor.text(text) == shown) }
}
