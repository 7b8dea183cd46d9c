import Testing

@testable import swoop

@Suite struct SecretPartTests {
  /// The words as `ps` would show them.
  private func shown(_ words: [String]) throws -> [String] {
    var bytes = words.map { Array($0.utf8) }
    for span in try ArgumentParser.parse(words).secrets {
      for place in span.bytes { bytes[span.word][place] = UInt8(ascii: "*") }
    }
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    (["-u", "me:pw", "h"], ["-u", "me:**", "h"]),
    (["-ume:pw", "h"], ["-ume:**", "h"]),
    (["-qume:pä", "h"], ["-qume:***", "h"]),
    (["--user=me:pw", "h"], ["--user=me:**", "h"]),
    (["-u", "me", "h"], ["-u", "me", "h"]),
    (["-H", "Authorization: Bearer x", "h"], ["-H", "Authorization: ********", "h"]),
    (["-HX-Api-Key:x", "h"], ["-HX-Api-Key:*", "h"]),
    (["-H", "Cookie: a=b", "h"], ["-H", "Cookie: ***", "h"]),
    (["-H", "Accept: text/html", "h"], ["-H", "Accept: text/html", "h"]),
    (["--cookie=a=b", "h"], ["--cookie=***", "h"]),
    (["-b", "a=b", "h"], ["-b", "***", "h"]),
    (["-x", "http://me:pw@p:80", "h"], ["-x", "http://*****@p:80", "h"]),
    (["-x", "me:pw@p:80", "h"], ["-x", "*****@p:80", "h"]),
    (["-x", "p:80", "h"], ["-x", "p:80", "h"]),
    (["https://me:p@w@h/a@b?x=1"], ["https://******@h/a@b?x=1"]),
    (["me:pw@h/a"], ["*****@h/a"]),
    (["h/a?sig=abc&x=1&token=d#f"], ["h/a?sig=***&x=1&token=***"]),
    (["h/a?u=http://x@y"], ["h/a?u=http://x@y"]),
    (["--checksum-file", "http://me:pw@h/S?token=ab", "h"], ["--checksum-file", "http://*****@h/S?token=**", "h"]),
    (["curl", "h/?sig=ab", "-Hcookie: x", "-sba=b"], ["curl", "h/?sig=**", "-Hcookie: *", "-sb***"]),
    (["curl", "-u", "me:pw", "-e", "h/?token=ab", "h"], ["curl", "-u", "me:**", "-e", "h/?token=**", "h"]),
    (["-n", "2", "curl", "-H", "a: b", "h/\\[?sig=ab"], ["-n", "2", "curl", "-H", "a: b", "h/\\[?sig=**"]),
    (["curl", "curl 'h' -b x=y"], ["curl", "***************"]),
    (["resume", "--url", "h/?X-Amz-Signature=ab", "a.part"], ["resume", "--url", "h/?X-Amz-Signature=**", "a.part"]),
  ])
  func secretsAreBlanked(words: [String], expected: [String]) throws {
    #expect(try shown(words) == expected)
  }
}
