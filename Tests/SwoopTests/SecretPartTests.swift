import DownloadCore
import DownloadEngine
import TestSupport
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
    (["h/a?token=\u{301}d"], ["h/a?token=***"]),
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

  /// The parser that decides is libcurl's: whatever it takes for a login or for a secret parameter is blanked.
  @Test func whatTheParserTakesForASecretIsBlanked() throws {
    let secret = "S3CR3T"
    let around = ["https://me:", "@host:80/p?x=1", "HTTP://host/p?token=", "&y#z", "u@v:", "@[::1]"]
    var (chance, found) = (SplitMix64(state: 9), 0)
    for _ in 0..<5000 {
      let ends = (0..<2).map { _ in mutation(of: around.randomElement(using: &chance) ?? "", &chance) }
      let typed = ends[0] + secret + ends[1]
      guard let url = try? URLParser.parse(typed: typed), !url.redacted.contains(secret),
        url.fragment?.contains(secret) != true
      else { continue }
      found += 1
      var bytes = Array(typed.utf8)
      for place in SecretPart.url.ranges(in: typed).joined() { bytes[place] = UInt8(ascii: "*") }
      #expect(!String(decoding: bytes, as: UTF8.self).contains(secret), "\(typed)")
    }
    #expect(found > 500)
  }

  private func mutation(of text: String, _ chance: inout SplitMix64) -> String {
    var scalars = Array(text.unicodeScalars)
    for _ in 0..<Int.random(in: 0...2, using: &chance) {
      let place = Int.random(in: 0...scalars.count, using: &chance)
      let scalar = "@:/?#&;=%4\\ []é".unicodeScalars.randomElement(using: &chance) ?? "@"
      if Bool.random(using: &chance), place < scalars.count { scalars.remove(at: place) }
      scalars.insert(scalar, at: place)
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
