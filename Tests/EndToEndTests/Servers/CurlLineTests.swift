import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `swoop curl ...`: what browsers copy.
@Suite(.waiting) struct CurlLineTests {
  private static let content = Content.pattern(length: 100_000)

  /// The words after swoop's own options.
  private func run(_ trial: Trial, _ words: [String], options: [String] = []) throws -> CommandResult {
    let result = try trial.swoop(["-n", "2", "--give-up-after", "4"] + options + words).run()
    _ = trial.server.settledLog()
    return result
  }

  private static func line(_ url: String, _ rest: String = "") -> String {
    """
    curl '\(url)' \\
      -H 'accept: */*' \\
      -H 'Range: bytes=0-' \\
      -H 'If-None-Match: "x"' \\
      -H $'authorization: Bearer S3CR3T\\u0021' \\
      -b 'session=S3CR3T; x="y"' \\
      -A 'Mozilla/5.0 (X11)' \\
      --compressed\(rest)

    """
  }

  private func expectBrowsersRequests(_ trial: Trial) {
    let requests = trial.server.log.entries.map(\.request)
    #expect(!requests.isEmpty)
    for request in requests {
      #expect(request.headers["Authorization"] == "Bearer S3CR3T!" && request.headers["Accept"] == "*/*")
      #expect(request.headers["Cookie"] == "session=S3CR3T; x=\"y\"")
      #expect(request.headers["User-Agent"] == "Mozilla/5.0 (X11)" && request.headers["If-None-Match"] == nil)
    }
  }

  @Test func theWholeLineInOneWord() throws {
    let trial = try Trial.healthy(Self.content)
    try trial.expect(run(trial, ["curl", Self.line(trial.server.url())]), exit: 0, .file, says: "saved file.bin")
    expectBrowsersRequests(trial)
  }

  @Test func theWordsThatAShellHasSplit() throws {
    let trial = try Trial.healthy(Self.content)
    var runner = CommandRunner("/bin/bash", ["-c", "\"$0\" " + Self.line(trial.server.url()), BuiltProducts.swoop])
    runner.workingDirectory = trial.folder.path(Trial.place)
    try trial.expect(runner.run(), exit: 0, .file, says: "saved file.bin")
    expectBrowsersRequests(trial)
  }

  @Test func ownOptionsStandBefore() throws {
    let trial = try Trial.healthy(Self.content)
    let right = try DigestTests.digest("sha256", of: Self.content)
    let words = ["curl", trial.server.url("/other.bin"), "-H", "A: c"]
    let result = try run(trial, words, options: ["-o", "file.bin", "-H", "X: b", "--sha256", right])
    try trial.expect(result, exit: 0, .file, says: "sha256 verified")
    let request = try #require(trial.server.log.entries.first?.request)
    #expect(request.headers["A"] == "c" && request.headers["X"] == "b")
  }

  @Test func secretsStayAtTheirOrigin() throws {
    let trial = try Trial.healthy(Self.content)
    let origin = try ScriptedServer(.redirect(to: trial.server.url()))
    let result = try run(trial, ["-v", "curl", Self.line(origin.url("/file.bin?token=S3CR3T"), " -u me:S3CR3T")])
    try trial.expect(result, exit: 0, .file)
    for request in trial.server.log.entries.map(\.request) {
      #expect(request.headers["Cookie"] == nil && request.headers["Authorization"] == nil)
    }
  }

  @Test(arguments: [
    ["-o", "S3CR3T"], ["-d", "S3CR3T"], ["--data-raw", "S3CR3T"], ["-x", "http://S3CR3T"], ["-K", "S3CR3T"],
    ["-X", "POST"], ["-T", "S3CR3T"], ["-H", "@/etc/passwd"], ["-b", "/etc/S3CR3T"], ["-k"], ["--next"], ["-n"],
    ["--proxy", "S3CR3T"], ["-c", "S3CR3T"], ["-H", "a: S3CR3T\nb: c"], ["-I"], ["-F", "a=@S3CR3T"], ["-H"],
  ]) func whatIsRefused(words: [String]) throws {
    let trial = try Trial.healthy(Self.content)
    try trial.expect(run(trial, ["curl", trial.server.url()] + words), exit: 2, .nothing)
    #expect(trial.server.log.entries.isEmpty)
  }

  @Test(arguments: [
    "; touch ran", " | sh", " > ran", " $(touch ran)", " `touch ran`", " \"$(touch ran)\"", "\ntouch ran",
  ])
  func noShellIsRun(rest: String) throws {
    let trial = try Trial.healthy(Self.content)
    try trial.expect(run(trial, ["curl", "curl '\(trial.server.url())'" + rest]), exit: 2, .nothing)
    #expect(trial.server.log.entries.isEmpty)
  }

  /// What browsers copy in other forms, and swoop's own options in the wrong place.
  @Test(arguments: [
    ("curl ^\"URL^\" ^\n  -H ^\"accept: */*^\" ^\n  --compressed", "Windows' cmd; copy it again, as cURL (bash)"),
    ("curl \"URL\" ^\r\n  -H \"accept: */*\"", "Windows' cmd"),
    ("Invoke-WebRequest -UseBasicParsing -Uri \"URL\"", "'Invoke-WebRequest' is no curl line; copy it again"),
    ("$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession\nInvoke", "'$session' is no curl line"),
    ("fetch(\"URL\", {});", "'fetch' is no curl line"),
    ("curl 'URL' -n 8", "put swoop's options before curl: swoop -n ... curl ..."),
    ("curl 'URL' -o x", "put swoop's options before curl: swoop -o ... curl ..."),
    ("curl 'URL' --sha256 12", "put swoop's options before curl: swoop --sha256 ... curl ..."),
    ("curl 'URL' --restart", "put swoop's options before curl: swoop --restart curl ..."),
    ("curl 'URL' --data-raw 'a=b'", "--data-raw makes it another request than a download"),
    ("curl 'URL' -X 'POST'", "only GET is a download"), ("curl 'URL' --request PUT", "only GET is a download"),
    ("curl 'URL' --cookie-jar x", "--cookie-jar names a file"), ("curl 'URL' --nonsense", "may not have --nonsense"),
  ]) func isRefusedWithAClearWord(line: String, says: String) throws {
    let trial = try Trial.healthy(Self.content)
    let text = line.replacing("URL", with: trial.server.url())
    try trial.expect(run(trial, ["curl", text]), exit: 2, .nothing, says: "swoop curl: ", says)
    #expect(trial.server.log.entries.isEmpty)
  }

  /// Without quotes of their own a shell has eaten cmd's.
  @Test(arguments: [["^URL^", "^"], ["URL", "^"]]) func wordsOfWindows(words: [String]) throws {
    let trial = try Trial.healthy(Self.content)
    let typed = words.map { $0.replacing("URL", with: trial.server.url()) }
    try trial.expect(run(trial, ["curl"] + typed), exit: 2, .nothing, says: "copy it again, as cURL (bash)")
  }

  /// What of a browser's request would be in the way of ranges is left out, and `-v` says so.
  @Test func whatIsLeftOut() throws {
    let trial = try Trial.healthy(Self.content)
    let fields = [
      "Range: bytes=5-", "If-Range: \"x\"", "If-Modified-Since: x", "Accept-Encoding: gzip, br", "Connection: close",
      "Content-Length: 5", "Transfer-Encoding: chunked", "Expect: 100-continue", ":authority: h",
      "Host: 127.0.0.1:\(trial.server.port)", "Sec-Fetch-Mode: navigate", "Upgrade-Insecure-Requests: 1",
    ]
    let headers = fields.map { "-H '\($0)'" }.joined(separator: " ")
    let line = "curl '\(trial.server.url())' \(headers) -X 'GET' --request GET -b '' --compressed --globoff"
    let result = try run(trial, ["-v", "curl", line])
    let names = fields.prefix(8).map { $0.prefix { $0 != ":" } }.joined(separator: ", ")
    try trial.expect(result, exit: 0, .file, says: "swoop: * not sent of the pasted line: \(names), :authority\n")
    for request in trial.server.log.entries.map(\.request) {
      #expect(request.headers["Accept-Encoding"] == "identity" && request.headers["Sec-Fetch-Mode"] == "navigate")
      #expect(request.headers["Host"] == "127.0.0.1:\(trial.server.port)" && request.headers["Expect"] == nil)
      #expect(request.headers["If-Modified-Since"] == nil && request.headers["Content-Length"] == nil)
    }
    let quiet = try Trial.healthy(Self.content)
    try quiet.expect(run(quiet, ["curl", "curl '\(quiet.server.url())' -H 'Range: bytes=5-'"]), exit: 0, .file)
    #expect(try !run(quiet, ["curl", "curl '\(quiet.server.url())' -H 'Range: bytes=5-'"]).error.contains("not sent"))
  }

  @Test func insecureCountsIfItIsGivenTwice() throws {
    let trial = try Trial.healthy(Self.content)
    try trial.expect(run(trial, ["-k", "curl", "-k", trial.server.url()]), exit: 0, .file)
  }

  @Test func secretsAreBlankedInTheProcessList() throws {
    for isWhole in [true, false] {
      let trial = try Trial(Self.content, .silence)
      let url = trial.server.url("/file.bin?token=S3CR3T")
      let words = [url, "-H", "Authorization: S3CR3T", "-bx=S3CR3T", "-u", "me:S3CR3T", "-e", "http://a/?sig=S3CR3T"]
      let line = "curl " + words.map { "'\($0)'" }.joined(separator: " ")
      let command = try trial.swoop(["curl"] + (isWhole ? [line] : words)).start()
      #expect(trial.server.waitUntil { !$0.entries.isEmpty })
      let shown = try CommandRunner("ps", ["-o", "args=", "-p", "\(command.pid)"]).run().output
      #expect(shown.contains("curl") && !shown.contains(Trial.secret), "\(shown)")
      #expect(isWhole || shown.contains(trial.server.url("/file.bin?token=******")), "\(shown)")
      command.signal(SIGKILL)
      _ = try command.result()
    }
  }
}
