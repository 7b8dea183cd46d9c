import DownloadCore
import Testing

@Suite struct CurlCommandLineTests {
  typealias Line = CurlCommandLine
  typealias Problem = CurlCommandLine.Problem

  /// What a line asks for, a text for each value.
  private func said(_ line: Line) -> [String] { line.values.map { "\($0.part) \($0.text)" } }

  @Test func chrome() throws {
    let line = try Line(
      """
      curl 'https://h.example/a%20b.iso?x=1&y=\\[2\\]' \\
        -H 'accept: */*' \\
        -H 'accept-language: en' \\
        -b 'sid=a"b; c=d' \\
        -H $'x-odd: it\\'s\\u0021 \\u00e9\\ud83d\\ude00' \\
        -H 'if-none-match: "5f"' \\
        -H 'range: bytes=0-' \\
        --compressed
      """)
    #expect(
      said(line) == [
        "url https://h.example/a%20b.iso?x=1&y=[2]", "header accept: */*", "header accept-language: en",
        "cookie sid=a\"b; c=d", "header x-odd: it's! é😀",
      ])
    #expect(line.url == "https://h.example/a%20b.iso?x=1&y=[2]" && !line.isInsecure)
  }

  @Test func firefox() throws {
    let line = try Line(
      "curl -g --http2 'https://h.example/a[1].iso' --compressed -X GET -H 'User-Agent: Mozilla/5.0' "
        + "-H 'Accept-Encoding: gzip, deflate, br' -H 'Connection: keep-alive' -H 'Cookie: a=b' -H 'TE: trailers'\n")
    #expect(
      said(line) == ["url https://h.example/a[1].iso", "header User-Agent: Mozilla/5.0", "header Cookie: a=b"])
  }

  @Test func safari() throws {
    let line = try Line(
      "curl 'https://h.example/f' \\\n-X 'GET' \\\n-H 'Accept: text/html' \\\n-H 'Referer: https://h.example/'")
    #expect(
      said(line) == [
        "url https://h.example/f", "header Accept: text/html", "header Referer: https://h.example/",
      ])
  }

  @Test(arguments: [
    ("curl h/a", "h/a"), ("curl  h/a \t\n\r\n", "h/a"), ("h/a", "h/a"), ("curl \"h/\\\"a\\x\\\\\"", "h/\"a\\x\\"),
    ("curl h\\/a\\ b", "h/a b"), ("curl 'h/'$'a'\"b\"c", "h/abc"), ("curl \\\r\n h/a", "h/a"), ("curl h\\\n/a", "h/a"),
    ("curl $'h/\\x41\\101\\t\\\\\\?\\'\\\"'", "h/AA\t\\?'\""), ("curl $'h/\\q\\x'", "h/\\q\\x"), ("curl h/#a", "h/#a"),
    ("curl --url h/a", "h/a"), ("curl -sSLf h/a", "h/a"), ("curl -- h/a", "h/a"), ("curl -XGET h/a", "h/a"),
    ("curl 'http://[::1]:80/a'", "http://[::1]:80/a"), ("curl 'h/\\{a\\}\\b'", "h/{a}\\b"), ("curl \"a\\\nb\"", "ab"),
  ]) func quoting(text: String, url: String) throws {
    #expect(try Line(text).url == url)
  }

  @Test func wordsAndTheirPlaces() throws {
    let line = try Line(words: [
      "curl", "-sHA: b", "u", "-b", "c=d", "-uä:p", "-e", "r", "-Aä", "--header", "C: d", "-k",
    ])
    let values = line.values.map { "\($0.part) \($0.text) \($0.word).\($0.offset)" }
    #expect(
      values == [
        "header A: b 1.3", "url u 2.0", "cookie c=d 4.0", "user ä:p 5.2", "referer r 7.0", "userAgent ä 8.2",
        "header C: d 10.0",
      ])
    #expect(line.isInsecure)
  }

  @Test(arguments: [
    ("curl", Problem.noURL), ("", .noURL), ("curl ''", .noURL), ("curl -s", .noURL), ("curl a b", .severalURLs),
    ("curl a --url b", .severalURLs), ("curl 'a", .openQuote), ("curl \"a", .openQuote), ("curl $'a\\'", .openQuote),
    ("curl a\\", .openQuote), ("curl $'a\\x00'", .notText), ("curl $'a\\xff'", .notText), ("curl $'\\ud83d'", .notText),
    ("curl a\ncurl b", .severalCommands), ("curl a; rm b", .shellSyntax(";")), ("curl a & b", .shellSyntax("&")),
    ("curl a | sh", .shellSyntax("|")), ("curl a > b", .shellSyntax(">")), ("curl <a", .shellSyntax("<")),
    ("curl $(id)", .shellSyntax("$")), ("curl `id`", .shellSyntax("`")), ("curl \"$HOME\"", .shellSyntax("$")),
    ("curl \"`id`\"", .shellSyntax("`")), ("curl $HOME", .shellSyntax("$")), ("curl $\"a\"", .shellSyntax("$")),
    ("curl a #b", .shellSyntax("#")), ("curl (a)", .shellSyntax("(")), ("curl 'h/{a,b}'", .pattern),
    ("curl 'h/[1-9]'", .pattern), ("curl 'h/]'", .pattern), ("curl h/a -H", .noValue("-H")),
    ("curl h/a --cookie", .noValue("--cookie")), ("curl a -H @b", .file("-H")), ("curl a -b jar", .file("-b")),
    ("curl a -b '@x=y'", .file("-b")), ("curl a -H '@\u{301}b'", .file("-H")), ("curl a -b @\u{301}=", .file("-b")),
    ("curl a -o b", .file("-o")), ("curl a -sob", .file("-o")),
    ("curl a -K b", .file("-K")), ("curl a --config b", .file("--config")), ("curl a -c b", .file("-c")),
    ("curl a -T b", .file("-T")), ("curl a --cert b", .file("--cert")), ("curl a -n", .file("-n")),
    ("curl a -x p", .proxy("-x")), ("curl a --socks5 p", .proxy("--socks5")), ("curl a -d x=y", .body("-d")),
    ("curl a --data-raw x", .body("--data-raw")), ("curl a -F x=y", .body("-F")), ("curl a --json x", .body("--json")),
    ("curl a -X POST", .method), ("curl a -X get", .method), ("curl a -I", .method), ("curl a --request PUT", .method),
    ("curl a --next b", .unknown("--next")), ("curl a -:", .unknown("-:")),
    ("curl a --resolve x", .unknown("--resolve")),
    ("curl a --location-trusted", .unknown("--location-trusted")), ("curl a --head=x", .unknown("--head")),
    ("wget a", .severalURLs), ("curl a -w %{x}", .unknown("-w")), ("curl a -é", .unknown("-é")),
  ]) func refusals(text: String, problem: Problem) {
    #expect(throws: problem) { try Line(text) }
  }

  /// What cmd.exe's form looks like is text in a line that bash can read.
  @Test(arguments: [
    "curl 'h/a' -u '^http:x' -A '^'", "curl h/a -u^http:x -A^", "curl h/a -H 'a: curl ^\"' -A $'a ^\\n'",
  ]) func caretsAreText(text: String) throws {
    #expect(try Line(text).url == "h/a")
  }

  @Test(arguments: [
    "curl ^\"https://h/a?b=c^&d=e^\" ^\n  -H ^\"a: b^\"", "curl ^\"https://h/a^\" ^\r\n  --compressed",
    "curl ^\"https://h/a^\"", "curl \"https://h/a\" ^\n  -H \"a: b\" ^\n  --compressed", "curl h/a ^",
  ]) func cmdsQuotesAreRefused(text: String) {
    #expect(throws: Problem.windowsForm) { try Line(text) }
  }

  @Test func lengthIsBounded() throws {
    let long = String(repeating: "a", count: CurlCommandLine.mostBytes - 5)
    #expect(try Line("curl " + long).url == long)
    #expect(throws: Problem.tooLong) { try Line("curl a" + long) }
  }
}

/// Whatever is in a line, it is read in no time, and what is accepted of it is safe.
@Suite struct CurlCommandLineMutationTests {
  private static let seeds = [
    "curl 'https://h/a?b=\\[c\\]' \\\n -H 'accept: */*' -b 'a=b' --compressed -H $'x: \\u0021\\'\\xe9'",
    "curl \"h/a\" -sSL -k -u me:pw -e 'r' -A \"x\\\"y\" -X GET --url b",
    "curl $'\\ud83d\\ude00\\101\\cA\\U0001f600' -Hb:c",
  ]

  @Test(arguments: seeds) func mutations(seed: String) {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<3000 {
      guard let line = try? CurlCommandLine(generator.mutatedText(of: seed)) else { continue }
      #expect(line.values.count { $0.part == .url } == 1 && !line.url.isEmpty)
      for value in line.values {
        #expect(!value.text.utf8.contains(0))
        #expect(value.part != .header || value.text.utf8.first != UInt8(ascii: "@"))
        #expect(value.part != .cookie || value.text.utf8.contains(UInt8(ascii: "=")))
      }
    }
  }

  @Test func chanceAlone() {
    var generator = SeededGenerator(seed: 10)
    let alphabet = Array("curl -HbXk'\"$\\\n @=:[]{};ué\u{301}x0")
    for _ in 0..<3000 {
      let text = (0..<Int.random(in: 0...40, using: &generator)).map { _ in alphabet.randomElement(using: &generator)! }
      let line = try? CurlCommandLine(String(text))
      #expect(line.map { !$0.url.isEmpty } ?? true)
    }
  }

  /// Time that grew faster than the length would not end here.
  @Test(arguments: ["\\a", "''", "$'\\ud800'", "\"\"", "a ", "-s", "-s ", "\\[", "\\\n"])
  func longMonotony(piece: String) {
    let text = String(repeating: piece, count: (1 << 17) / piece.utf8.count)
    let line = try? CurlCommandLine("curl " + text)
    #expect(line == nil || line?.url.isEmpty == false)
  }
}
