import DownloadCore
import Testing

@testable import swoop

@Suite struct RefusalTests {
  @Test(arguments: [
    (["--connections", "0", "u"], "1 to 64"), (["-n", "65", "u"], "1 to 64"), (["-n", "+8", "u"], "1 to 64"),
    (["-n=8", "u"], "1 to 64"), (["-n", "", "u"], "1 to 64"),
    (["--jobs", "0", "u"], "1 to 64"), (["-j", "65", "u"], "1 to 64"), (["-j", "+3", "u"], "1 to 64"),
    (["-j", "auto", "u"], "1 to 64"), (["-j"], "needs a value"), (["-i"], "needs a value"),
    (["-i", ""], "a file's name"),
    (["-i", "a", "-i", "b"], "only once"), (["resume", "-i", "a", "a.part"], "-i means nothing to resume"),
    (["verify", "-j", "2", "f"], "-j means nothing to verify"),
    (["--min-split", "0", "u"], "size"), (["--min-split", "x", "u"], "size"), (["--min-split", "-1", "u"], "size"),
    (["--limit-rate", "0", "u"], "size"), (["--limit-rate", "5M/s", "u"], "size"), (["--limit-rate"], "RATE"),
    (["--limit-rate", "99999999999T", "u"], "--limit-rate '99999999999T' is too large"),
    (["--max-size", "9223372036854775808", "u"], "--max-size '9223372036854775808' is too large"),
    (["--window", "1e30", "u"], "--window needs a size"), (["--min-split", "99999999999999999999", "u"], "too large"),
    (["--output-offset", "9223372036854775800", "u"], "--output-offset '9223372036854775800' is too large"),
    (["--output-offset", "99999999999999999999", "u"], "is too large"),
    (["--output-offset", "1k", "u"], "--output-offset is a number of bytes, not '1k'"),
    (["-H", "foo", "u"], "--header needs 'Name: value', not 'foo'"),
    (["--interface", "", "u"], "an interface"), (["--interface", "if!", "u"], "an interface"),
    (["--interface", "a\nb", "u"], "an interface"), (["--resolve", "a:1:b", "u"], "HOST:PORT:ADDRESS"),
    (["--config", "", "u"], "a file's name"), (["--config", "a", "--config", "b", "u"], "only once"),
    (["--config", "a", "--no-config", "u"], "contradict"), (["--netrc=x", "u"], "takes no value"),
    (["-4=x", "u"], "unknown option -="), (["status", "-4", "x"], "-4 means nothing to status"),
    (["verify", "--dry-run", "f"], "means nothing to verify"),
    (["--checksum", "d41d8cd98f00b204e9800998ecf8427e", "u"], "did you mean --md5?"),
    (["--checksum", "d41d8cd98f00b204e9800998ecf8427z", "u"], "ALGO:HEX"),
    (["--connect-timeout", "0", "u"], "positive"), (["--stall-timeout", "-1", "u"], "positive"),
    (["--give-up-after", "inf", "u"], "positive"), (["--give-up-after", "1e3", "u"], "positive"),
    (["--give-up-after", "nan", "u"], "positive"), (["--give-up-after", ".", "u"], "positive"),
    (["--give-up-after", "1.2.3", "u"], "positive"), (["--give-up-after", "", "u"], "positive"),
    (["--md5", "12", "u"], "32 hexadecimal"), (["--sha1", String(repeating: "g", count: 40), "u"], "40 hexadecimal"),
    (["--sha256", "", "u"], "64 hexadecimal"), (["--sha512", "ab", "u"], "128 hexadecimal"),
    (["--checksum", "abc", "u"], "ALGO:HEX"), (["--checksum", "md4:ab", "u"], "no algorithm 'md4'"),
    (["--checksum", "md5:ab", "u"], "32 hexadecimal"),
    (["-o", "", "u"], "needs a file's name"), (["-d", "", "u"], "folder"), (["--cacert", "", "u"], "file's name"),
    (["-H", "nonsense", "u"], "Name: value"), (["-H", ": x", "u"], "name"), (["-H", "a b: x", "u"], "name"),
    (["-H", "A: b\nC: d", "u"], "line breaks"), (["-H", "A: \u{1B}", "u"], "control"), (["-H", "@", "u"], "@"),
    (["-H", "Range: bytes=0-1", "u"], "sets it itself"), (["-H", "", "u"], "Name: value"),
    (["-A", "a\r\nb", "u"], "line breaks"), (["-e", "a\nb", "u"], "line breaks"),
    (["-b", "jar.txt", "u"], "files of cookies"), (["-b", "a=b\n", "u"], "line breaks"), (["-u", "", "u"], "NAME"),
    (["-x", "ftp://p", "u"], "kind 'ftp'"), (["-x", "http://", "u"], "HOST"), (["-x", "p:0", "u"], "HOST"),
    (["-x", "p:99999", "u"], "HOST"), (["-x", "a b", "u"], "HOST"), (["-x", "http://p/path", "u"], "HOST"),
    (["-x", "16", "u"], "did you mean -n"), (["-C", "100", "u"], "only '-'"),
    (["--progress", "loud", "u"], "auto, bar, plain, json or none"),
    (["--force=yes", "u"], "takes no value"), (["--output"], "needs a value: FILE"), (["u", "-n"], "needs a value"),
    (["-qn"], "needs a value"), (["-C"], "needs a value"), (["--url", "x", "u"], "resume only"),
    (["--parts", "4", "u"], "--parts is for plan only"), (["--part", "0", "u"], "--part is for plan only"),
    (["--remove-parts", "u"], "--remove-parts is for join only"),
    (["--repair", "u", "f"], "--repair is for verify only"),
    (["verify", "-o", "x", "f"], "-o means nothing to verify"),
    (["status", "--force", "p"], "means nothing to status"),
    (["verify", "-H", "a: b", "f"], "-H means nothing to verify"), (["-c", "verify", "f"], "swoop verify -c SUMS"),
    (["verify", "-c"], "needs a value"), (["--checksum-file", "", "u"], "a file's name or a URL"),
    (["--checksum-file", "a", "--checksum-file", "b", "u"], "only once"), (["curl"], "no URL in the line"),
    (["curl", "curl"], "no URL in the line"), (["curl", "u", "-o", "x"], "put swoop's options before curl"),
    (["curl", "u", "v"], "more than one URL"), (["curl", "u", "-k"], "swoop -k curl"),
    (["curl", "u", "-k", "-k"], "swoop -k curl"), (["curl", "curl 'u"], "a quote is not closed"),
    (["curl", "u", "-H", "a: b\r\nc: d"], "line breaks"), (["curl", "u", "-H", "nonsense"], "Name: value"),
    (["curl", "u", "-A", "a\nb"], "line breaks"), (["curl", "curl u;id"], "no shell is run"),
    (["curl", "u", "-d", "S3CR3T"], "another request than a download"), (["curl", "u", "-x", "p"], "a proxy"),
    (["curl", "u", "--next"], "may not have --next"), (["curl", "u/[1-9]"], "a pattern to curl"),
    (["resume", "-d", "x", "a.part"], "resume takes no -d"),
    (["resume", "-o", "x", "a.part"], "resume takes no -o: the partial file has its name"),
    (["resume", "--output=x", "a.part"], "resume takes no --output: the partial file has its name"),
  ])
  func wrongWordsAreRefusedInOneLine(words: [String], part: String) throws {
    let message = try #require(refusal(words))
    #expect(message.contains(part))
    #expect(!Diagnostics.error(message).contains("\n"))
  }

  @Test(arguments: [
    ("--outptu", "--output"), ("--conections", "--connections"), ("--sha265", "--sha256"), ("--verbos", "--verbose"),
    ("--retries", "--give-up-after"), ("--tries", "--give-up-after"), ("-P", "-d"), ("--out", "-o"),
    ("--max-connection-per-server", "-n"), ("--no-pre", "--no-preallocate"), ("--mirorr", "--mirror"),
    ("--location", "-L"), ("--remote-name", "-O"), ("--remote-header-name", "-J"), ("--continue", "-c"),
    ("--fail", "-f"), ("--show-error", "-S"), ("--silent", "-q"), ("-I", "--dry-run"), ("--head", "--dry-run"),
    ("--spider", "--dry-run"), ("-#", "--progress bar"), ("--progress-bar", "--progress bar"),
    ("-K", "--config"), ("--max-download-limit", "--limit-rate"), ("--bind-address", "--interface"),
    ("-T", "--stall-timeout"),
    ("--max-time", "--give-up-after"), ("-m", "--give-up-after"), ("--output-dir", "-d"), ("--inet4-only", "-4"),
    ("-1", "-n"), ("--limit-rat", "--limit-rate"),
  ])
  func unknownOptionsNameTheirNeighbour(word: String, meant: String) throws {
    let message = try #require(refusal([word, "u"]))
    #expect(message == "unknown option \(word); did you mean \(meant)?")
  }

  @Test(arguments: ["-R", "--remote-time", "-N", "--timestamping", "--compressed", "--create-dirs"])
  func whatNeedsNoOptionSaysSo(word: String) throws {
    let message = try #require(refusal([word, "u"]))
    #expect(message.hasPrefix("unknown option \(word); "))
    #expect(message.hasSuffix(" anyway") || word == "--compressed")
  }

  @Test(arguments: ["-X", "--request", "--post-data", "-z", "--ignore-missing", "--netrc-file"])
  func whatNobodyNeedsSaysWhy(word: String) throws {
    let message = try #require(refusal([word, "u"]))
    #expect(message.hasPrefix("unknown option \(word); ") && !message.contains("try 'swoop"))
  }

  @Test(arguments: ["--zzzzzz", "-Z", "--", "-é", "--fo=1"])
  func otherUnknownOptionsPointToTheHelp(word: String) {
    let message = refusal([word, "u"])
    #expect(word == "--" ? message == nil : message?.hasPrefix("unknown option") == true)
  }

  @Test(arguments: [
    "-O - http://h/f", "-qO- http://h/f", "-O- http://h/f", "http://h/f -O -", "-o - http://h/f", "-o- http://h/f",
    "--output=- http://h/f", "-o /dev/stdout http://h/f", "-o x -O - http://h/f",
  ])
  func standardOutputHasSeveralNames(line: String) throws {
    let arguments = try ArgumentParser.parse(line.split(separator: " ").map(String.init))
    #expect(arguments.sendsToStandardOutput && arguments.operands == ["http://h/f"])
    #expect(try arguments.requests().map(\.target.sink) == [.standardOutput])
  }

  @Test(arguments: [
    ("-o - -d d u", "-d means nothing with --output -: no file is made"),
    ("--force -o - u", "--force means nothing with --output -: no file is replaced"),
    ("--restart -O - u", "--restart means nothing with --output -: there is no partial file"),
    ("resume -o - x.part", "-o"), ("resume -O - x.part", "-O -"), ("verify -o - x", "-o"),
    ("--window 63k -o - u", "--window is 64k at least"), ("--window 0 -o - u", "--window needs a size"),
    ("--window -o - u", "--window needs a size"), ("resume --window 1M x.part", "--window"),
  ])
  func whatMakesNoSenseWithStandardOutputIsRefused(line: String, part: String) throws {
    let message = try #require(refusal(line.split(separator: " ").map(String.init)))
    #expect(message.contains(part) && !message.contains("\n"), "\(message)")
  }

  @Test(arguments: [
    "-O ubuntu.iso http://h/f", "-O out h/f", "-O out/x.iso http://h/f", "http://h/f -O x",
    "-Oubuntu.iso http://h/f", "-LO x http://h/f",
  ])
  func wgetsOutputOptionIsRecognised(line: String) {
    #expect(refusal(line.split(separator: " ").map(String.init))?.contains("did you mean -o") == true)
  }

  @Test(arguments: [
    "-O http://h/f", "-LO http://h/f", "-O h/f", "-O http://h/f http://h/g", "-O h.org/f http://h/g", "-O -L h/f",
    "http://h/f -O", "-O localhost/f http://h/g",
  ])
  func curlsRemoteNameIsAccepted(line: String) {
    #expect(refusal(line.split(separator: " ").map(String.init)) == nil)
  }

  @Test func distancesAreLevenshteins() {
    #expect(Suggestion.distance("kitten", "sitting") == 3)
    #expect(Suggestion.distance("", "abc") == 3)
    #expect(Suggestion.distance("same", "same") == 0)
  }

  /// What may be a secret is not repeated.
  @Test func aHeaderWithoutAColonIsShownOnlyWhereItIsAName() throws {
    for word in ["ghp_S3CR3T", "Bearer S3CR3T", String(repeating: "a", count: 60)] {
      #expect(refusal(["-H", word, "u"]) == "--header needs 'Name: value'")
    }
  }

  /// An address of the other family can only fail.
  @Test(
    arguments: [
      (["-6", "http://127.0.0.1:1/a"], "-6 cannot reach 127.0.0.1, which is an IPv4 address"),
      (["-6", "http://0x7f.1/a"], "-6 cannot reach 127.0.0.1"), (["-4", "http://[::1]:1/a"], "-4 cannot reach [::1]"),
      (["-4", "-6", "ftp://127.0.0.1/a"], "-6 cannot reach"), (["-6", "-4", "http://127.0.0.1/a"], nil),
      (["-6", "http://127.0.0.1.example/a"], nil), (["-6", "http://h/a"], nil), (["-4", "http://127.0.0.1/a"], nil),
      (["-6", "http://h/a", "--mirror", "http://127.0.0.1/a"], "--mirror: -6 cannot reach"),
      (["-6", "-x", "p:3128", "http://127.0.0.1/a"], nil), (["-6", "-x", "", "http://127.0.0.1/a"], "-6 cannot reach"),
      (["-6", "--resolve", "a:1:[::1]", "http://127.0.0.1/a"], nil),
    ] as [([String], String?)]) func anAddressOfTheOtherFamily(words: [String], part: String?) throws
  {
    var message: String?
    do throws(DownloadError) { _ = try ArgumentParser.parse(words).requests() } catch { message = error.message }
    #expect(part == nil ? message == nil : message?.contains(part ?? "") == true, "\(message ?? "")")
  }
}
