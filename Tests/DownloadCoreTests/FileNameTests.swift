import DownloadCore
import Testing

@Suite struct FileNameTests {
  @Test(
    arguments: [
      ("a.zip", "a.zip"), ("../../.ssh/authorized_keys", "authorized_keys"), ("..\\..\\x", "x"),
      ("/etc/passwd", "passwd"),
      ("C:\\x", "x"), ("C:x", "x"), ("C:", nil), ("C\u{7F}:C: D:x", "x"), ("%2e%2e%2f", "%2e%2e%2f"),
      (".bashrc", "_bashrc"), ("-rf", "_rf"),
      ("--x", "_-x"), (".", nil), ("..", nil), ("...", nil), ("", nil), ("   ", nil), ("a/", nil), ("a/..", nil),
      ("a\\.", nil), ("\0", nil), ("a\0b", "ab"), (" a . ", "a"), ("a. .", "a"), (" .ssh", "_ssh"),
      ("a b.txt", "a b.txt"),
      ("\u{1B}]0;pwn\u{7}x", "]0;pwnx"), ("\u{9B}2Jx", "2Jx"), ("exe.\u{202E}gpj", "exe.gpj"), ("a\rb\nc\td", "abcd"),
      ("\u{200B}\u{FEFF}.\u{2066}x", "_x"), ("\u{200B}", nil), (".\u{200B}.", nil), ("naïve 🎉.txt", "naïve 🎉.txt"),
      ("x.part", "x.part.download"), ("x.PART.json", "x.PART.json.download"), (".part", "_part"),
      ("x.part.json.new", "x.part.json.new.download"), ("x.part.", "x.part.download"), ("x.party", "x.party"),
      (".\u{301}x", "_\u{301}x"), ("a/\u{301}b", "\u{301}b"),
    ] as [(String, String?)])
  func sanitised(_ raw: String, _ expected: String?) { #expect(FileName.sanitised(raw) == expected) }

  /// A plain name is taken as it is, which is what becomes of it all the same: what is hidden in it makes it none.
  @Test func plainNamesAreAsAllAre() {
    var chance = SeededGenerator(seed: 7)
    let pieces = ["a", "Z", "0", ".", "-", "_", ".part", ".PART", ".json", ".new", ":", "/", " "]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...6, using: &chance)
      let name = (0..<count).map { _ in pieces.randomElement(using: &chance) ?? "" }.joined()
      guard FileName.sanitised(name) != FileName.sanitised("\u{200B}" + name) else { continue }
      Issue.record("\(name)")
      return
    }
    for length in [FileName.longest - 1, FileName.longest, FileName.longest + 1] {
      let name = String(repeating: "n", count: length)
      #expect(FileName.sanitised(name) == FileName.sanitised("\u{200B}" + name))
    }
  }

  /// H09, H12 and RFC 6266, section 5.
  @Test(
    arguments: [
      ("attachment; filename=a.zip", "a.zip"), ("Attachment; FileName=\"a b.zip\"", "a b.zip"),
      ("inline; filename=a.zip; size=5", "a.zip"), ("filename=a.zip", "a.zip"),
      ("attachment;filename=a b.zip", "a b.zip"),
      ("attachment; filename=\"a\\\"b.zip\"", "a\"b.zip"), ("attachment; filename=\"a;b.zip\"", "a;b.zip"),
      ("attachment; filename=\"a\\\";b.zip\"; x=y", "a\";b.zip"), ("attachment; filename=\"x.zip", "x.zip"),
      ("attachment; filename=\"../../.ssh/authorized_keys\"", "authorized_keys"),
      ("attachment; filename=\"..\\\\..\\\\x\"", "x"), ("attachment; filename=\"C:\\Users\\me\\x.txt\"", "x.txt"),
      ("attachment; filename=/etc/passwd", "passwd"), ("attachment; filename=\"%2e%2e%2f\"", "%2e%2e%2f"),
      ("attachment; filename*=UTF-8''..%2Fx", "x"), ("attachment; filename*=utf-8'en'%e2%82%ac%20rates", "€ rates"),
      ("attachment; filename=plain; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
      ("attachment; filename*=UTF-8''na%C3%AFve.txt; filename=plain", "naïve.txt"),
      ("attachment; filename*=iso-8859-1''na%EFve.txt", "naïve.txt"),
      ("attachment; filename*=UTF-8''%FF; filename=plain", "plain"),
      ("attachment; filename*=KOI8-R''x; filename=plain", "plain"),
      ("attachment; filename*=x; filename=plain", "plain"),
      ("attachment; filename*=UTF-8''..; filename=plain", "plain"), ("attachment; filename*=\"UTF-8''x\"", "x"),
      ("attachment; filename=\"naïve 🎉.txt\"", "naïve 🎉.txt"), ("attachment; filename=\"x.part\"", "x.part.download"),
      ("attachment; filename=\"\u{1B}]0;pwn\u{7}\"", "]0;pwn"), ("attachment; filename*=UTF-8''%1B%5B2J", "[2J"),
      ("attachment", nil), ("", nil), (";", nil), ("attachment; filename", nil), ("attachment; filename=", nil),
      ("attachment; filename=\"\"", nil), ("attachment; filename=..", nil), ("attachment; name=x", nil),
      ("attachment; filename*=UTF-8''%00", nil), ("attachment; x=\"filename=y\"", nil),
    ] as [(String, String?)])
  func contentDisposition(_ value: String, _ expected: String?) {
    #expect(FileName.fromContentDisposition(value) == expected)
  }

  /// H10.
  @Test(
    arguments: [
      ("a.zip", "a.zip"), ("a%2F..%2F..%2Fx", "x"), ("", nil), (".", nil), ("..", nil), ("%2e%2E", nil), ("%00", nil),
      ("a%00b", "ab"), ("a%20b.txt", "a b.txt"), ("a+b", "a+b"), ("na%C3%AFve", "naïve"), ("na%EFve", "na%EFve"),
      ("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("100%25", "100%"), ("%2525", "%25"), ("%C3%28", "%C3("),
      ("%E2%82", "%E2%82"), ("%E2%82%AC", "€"), ("%C3é", "%C3é"), ("%ED%A0%80", "%ED%A0%80"), ("%1b%5B2J", "[2J"),
      ("%E2%80%AEx", "x"), ("a%5Cb", "b"), ("%F0%9F%8E%89.gz", "🎉.gz"), ("%C0%AFx", "%C0%AFx"),
    ] as [(String, String?)])
  func urlPath(_ part: String, _ expected: String?) { #expect(FileName.fromURLPath(part[...]) == expected) }

  @Test(arguments: [("", true), (".", true), ("..", true), ("a\0b", true), ("x.part", true), ("x.Part.JSON", true)])
  func typedProblem(_ name: String, _ isProblem: Bool) {
    #expect((FileName.typedNameProblem(name) != nil) == isProblem)
  }

  @Test(arguments: ["a", ".hidden", "-x", "a b", "x.party", "part", "naïve"])
  func typedNamesAreTakenAsTheyAre(_ name: String) { #expect(FileName.typedNameProblem(name) == nil) }

  @Test func typedLength() {
    #expect(FileName.typedNameProblem(String(repeating: "x", count: 241)) == nil)
    #expect(FileName.typedNameProblem(String(repeating: "x", count: 242)) != nil)
    #expect(FileName.longest + FileName.reservedEndings.map(\.utf8.count).reduce(0, max) == 255)
  }
}

@Suite struct FileNameLengthTests {
  private let family = "👨‍👩‍👧"

  @Test func keepsTheExtension() {
    let long = String(repeating: "x", count: 300)
    #expect(FileName.sanitised(long)?.utf8.count == 241)
    #expect(FileName.sanitised(long + ".iso") == String(repeating: "x", count: 237) + ".iso")
    #expect(FileName.sanitised(long + ".tar.gz") == String(repeating: "x", count: 234) + ".tar.gz")
    #expect(FileName.sanitised(long + ".a-very-long-extension")?.hasSuffix("x") == true)
  }

  @Test func cutsAtACharacter() throws {
    let flags = try #require(FileName.sanitised(String(repeating: "🇨🇭", count: 40) + ".txt"))
    #expect(flags == String(repeating: "🇨🇭", count: 29) + ".txt")
    let accents = try #require(FileName.sanitised(String(repeating: "e\u{301}", count: 100) + ".gz"))
    #expect(accents == String(repeating: "e\u{301}", count: 79) + ".gz")
    let thumbs = try #require(FileName.sanitised(String(repeating: "👍🏽", count: 32)))
    #expect(thumbs == String(repeating: "👍🏽", count: 30))
  }

  @Test func cutsWithinAMonstrousCharacter() throws {
    let name = try #require(FileName.sanitised("e" + String(repeating: "\u{301}", count: 1000) + ".gz"))
    #expect(name.utf8.count <= 241 && name.hasPrefix("e") == false && name.unicodeScalars.first == "e")
  }

  @Test func isNoNameOfOursAfterTheCut() throws {
    let name = try #require(FileName.sanitised(String(repeating: "x", count: 236) + ".part" + "yyyyyyyyyyyyyyyyyy"))
    #expect(FileName.typedNameProblem(name) == nil)
    let long = try #require(FileName.sanitised(String(repeating: "x", count: 300) + ".part"))
    #expect(long.hasSuffix(".part.download") || long.hasSuffix("x.download"))
    #expect(long.utf8.count <= 241)
  }

  @Test func isSafeWhateverItIsMadeOf() {
    var chance = SeededGenerator(seed: 6)
    let seeds = [
      "attachment; filename=\"a.part\"; filename*=UTF-8''%2e%2e%2Fna%C3%AFve.part.json", "../..\\.ssh/C:x 🎉.tar.gz",
      "%2F%5C%00%E2%80%AE.%EF%BB%BF.part", String(repeating: "e\u{301}🎉", count: 40) + ".part",
    ]
    for round in 0..<20_000 {
      let text = chance.mutatedText(of: seeds[round % 4])
      let names = [
        FileName.sanitised(text), FileName.fromContentDisposition(text), FileName.fromURLPath(Substring(text)),
      ]
      for name in names.compactMap({ $0 }) { expectSafe(name) }
    }
  }

  private func expectSafe(_ name: String) {
    #expect(FileName.typedNameProblem(name) == nil)
    #expect(!name.unicodeScalars.contains { $0.isHidden || $0 == "/" || $0 == "\\" })
    #expect(name.unicodeScalars.first != "." && name.unicodeScalars.first != "-")
    #expect(FileName.sanitised(name) == name)
  }
}
