import DownloadCore
import Testing

@testable import DownloadEngine

/// Metalinks as they are and as they should not be.
@Suite struct MetalinkParserTests {
  private static let sha1 = String(repeating: "ab", count: 20)
  private static let sha256 = String(repeating: "0c", count: 32)

  private static func document(_ inside: String, _ attributes: String = "") -> [UInt8] {
    let root = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\" \(attributes)>\(inside)</metalink>"
    return Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(root)\n".utf8)
  }

  private func problem(_ bytes: [UInt8]) -> MetalinkProblem? {
    do throws(MetalinkProblem) {
      _ = try MetalinkParser.parse(bytes)
      return nil
    } catch { return error }
  }

  @Test func allThatCounts() throws {
    let inside = """
      <generator>x</generator><published>2009-05-15T12:23:23Z</published>
      <file name="sub/a.iso"><identity>A</identity><size> 20 </size>
      <hash type="sha-256">\(Self.sha256.uppercased())</hash><hash type="SHA-1">\n\(Self.sha1)\n</hash>
      <hash type="whirlpool-9">zz</hash>
      <pieces length="10" type="sha-1"><hash>\(Self.sha1)</hash><hash>\(Self.sha1)</hash></pieces>
      <pieces length="5" type="whirlpool-9"><hash>a</hash></pieces>
      <url priority="20">http://b/a?x=1&amp;y=2</url><url>ftp://c/a</url>
      <url location="de" priority="1"><![CDATA[http://a/a]]></url>
      <url priority="0">http://z/a</url><metaurl mediatype="torrent">http://t/a.torrent</metaurl>
      <x:url xmlns:x="urn:other">http://evil/</x:url><other><url>http://evil/</url><size>7</size></other>
      </file><file name="b"/>
      """
    let metalink = try MetalinkParser.parse(Self.document(inside))
    #expect(metalink.files.map(\.name) == ["sub/a.iso", "b"])
    let file = metalink.files[0]
    #expect(file.size == 20)
    #expect(file.digests == [Digest(.sha256, hex: Self.sha256), Digest(.sha1, hex: Self.sha1)])
    #expect(file.sources.map(\.address) == ["http://a/a", "http://b/a?x=1&y=2", "ftp://c/a", "http://z/a"])
    #expect(file.sources.map(\.priority) == [1, 20, nil, nil])
    let piece = Digest(.sha1, hex: Self.sha1)
    #expect(file.pieces == [PieceDigests(length: 10, digests: [piece, piece])])
    #expect(file.unknownAlgorithms == ["whirlpool-9"])
    #expect(file.proof?.algorithm == .sha256 && file.provedPieces?.algorithm == .sha1)
    #expect(metalink.files[1] == Metalink.File(name: "b"))
  }

  @Test func namespacesMayHavePrefixes() throws {
    let file = "<m:file name=\"a\"><m:size>3</m:size></m:file>"
    let text = "<m:metalink xmlns:m=\"urn:ietf:params:xml:ns:metalink\">\(file)</m:metalink>"
    #expect(try MetalinkParser.parse(Array(text.utf8)).files.first?.size == 3)
  }

  @Test func otherEncodings() throws {
    let root = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">"
    let text = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\(root)<file name=\""
    let bytes = Array(text.utf8) + [0xE9] + Array("\"/></metalink>".utf8)
    #expect(try MetalinkParser.parse(bytes).files.first?.name == "é")
    var wide: [UInt8] = [0xFF, 0xFE]
    for unit in "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='é'/></metalink>".utf16 {
      wide += [UInt8(unit & 0xFF), UInt8(unit >> 8)]
    }
    #expect(try MetalinkParser.parse(wide).files.first?.name == "é")
  }

  @Test(arguments: [
    ("", "no element found"), ("<", "unclosed token"), ("<metalink", "unclosed token"), ("x", "syntax error"),
    ("<a></b>", "mismatched tag"), ("<a>&lol;</a>", "undefined entity"), ("<a/><b/>", "junk after"),
    ("<x:a/>", "unbound prefix"), ("<a b='1' b='2'/>", "duplicate attribute"), ("<a>\u{0}</a>", "invalid token"),
  ])
  func brokenXML(text: String, why: String) {
    guard case .notXML(let line, let words) = problem(Array(text.utf8)) else {
      // What was understood before it broke may be enough to refuse it.
      #expect(problem(Array(text.utf8)) == .otherDocument("a") && text.hasPrefix("<a"))
      return
    }
    #expect(line == 1 && words.contains(why), "\(words)")
  }

  @Test func bytesThatAreNoUTF8() {
    guard case .notXML = problem(Self.document("<file name=\"") + [0xFF, 0xFE]) else {
      Issue.record("taken")
      return
    }
  }

  /// Entities that grow, external ones, and a document type without either.
  @Test(arguments: [
    "<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol1 \"&lol;&lol;&lol;&lol;\">]><metalink>&lol1;</metalink>",
    "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><metalink/>",
    "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><metalink>&x;</metalink>",
    "<!DOCTYPE metalink><metalink/>",
  ])
  func documentTypesAreRefused(text: String) {
    #expect(problem(Array("<?xml version=\"1.0\"?>\(text)".utf8)) == .documentType)
  }

  @Test func bounds() {
    let deep = String(repeating: "<a>", count: 1000)
    #expect(problem(Self.document("<file name=\"x\">\(deep)")) == .tooDeep)
    #expect(problem(Self.document(String(repeating: "<file name=\"x\"/>", count: 20_000))) == .tooMany("files"))
    let urls = String(repeating: "<url>http://a/</url>", count: 5000)
    #expect(problem(Self.document("<file name=\"x\">\(urls)</file>")) == .tooMany("addresses of one file"))
    let long = String(repeating: "x", count: 100_000)
    let found = problem(Self.document("<file name=\"x\"><url>\(long)</url></file>"))
    #expect(found?.clause.contains("a text too long") == true)
    #expect(problem([UInt8](repeating: 0x20, count: Metalink.mostBytes + 1)) == .tooLarge)
  }

  @Test(arguments: [
    ("<html/>", MetalinkProblem.otherDocument("html")), ("<metalink/>", .otherDocument("metalink, of no namespace")),
    ("<metalink xmlns=\"urn:x\"/>", .otherDocument("metalink, of the namespace urn:x")),
    ("<metalink version=\"3.0\" xmlns=\"http://www.metalinker.org/\"><files/></metalink>", .version3),
    ("<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><x/></metalink>", .noFile),
  ])
  func otherDocuments(text: String, expected: MetalinkProblem) {
    #expect(problem(Array(text.utf8)) == expected)
  }

  @Test(arguments: [
    ("<size>x</size>", "size"), ("<size>-1</size>", "size"), ("<size></size>", "size"), ("<size>1e3</size>", "size"),
    ("<size>9223372036854775807</size>", "size"), ("<size>1</size><size>2</size>", "two sizes"),
    ("<hash type=\"sha-1\">12</hash>", "sha1 digest"),
    ("<hash type=\"md5\">\(String(repeating: "g", count: 32))</hash>", "md5"),
    ("<hash type=\"sha-1\">\(sha1) a.iso</hash>", "sha1 digest"),
    ("<hash type=\"sha-1\">\(sha1)</hash><hash type=\"sha-1\">\(String(sha1.reversed()))</hash>", "two different"),
    ("<pieces type=\"sha-1\"><hash>\(sha1)</hash></pieces>", "length of the pieces"),
    ("<pieces length=\"0\" type=\"sha-1\"/>", "length of the pieces"),
    ("<size>25</size><pieces length=\"10\" type=\"sha-1\"><hash>\(sha1)</hash></pieces>", "1 pieces of 10 bytes"),
    ("<size>5</size><pieces length=\"10\" type=\"sha-1\"><hash>12</hash></pieces>", "sha1 digest"),
  ])
  func badEntries(inside: String, why: String) {
    let found = problem(Self.document("<file name=\"a\u{202E}b\">\(inside)</file>"))
    #expect(found?.clause.contains(why) == true, "\(found?.clause ?? "taken")")
    #expect(found?.clause.contains("\u{202E}") == false)
  }

  /// Nothing tells whether one is missing.
  @Test func piecesWithoutASizeAreOfNoUse() throws {
    let inside = "<file name=\"a\"><pieces length=\"1\" type=\"sha-1\"><hash>\(Self.sha1)</hash></pieces></file>"
    #expect(try MetalinkParser.parse(Self.document(inside)).files[0].pieces.isEmpty)
  }

  @Test(arguments: [
    ("http://a/b", "http://a/b"), ("https://a/b#md5=1", "https://a/b"), ("c", "https://h/d/c"), ("/c", "https://h/c"),
    ("//o/c", "https://o/c"), ("ftp://a/b", nil), ("file:///etc/passwd", nil), ("http://u:p@a/", nil), ("", nil),
    ("magnet:?xt=1", nil), ("http://", nil), ("http://a/\u{1}", nil),
  ])
  func addresses(text: String, expected: String?) throws {
    let base = try URLParser.parse(typed: "https://h/d/x.meta4")
    let found = URLParser.linked(text, from: base)
    #expect(found?.absolute == expected && found?.fragment == nil)
    #expect(URLParser.linked("c", from: nil) == nil)
  }
}
