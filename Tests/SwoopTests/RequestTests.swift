import DownloadCore
import Testing

@testable import swoop

@Suite struct RequestTests {
  private func requests(_ line: String) throws -> [DownloadRequest] { try parse(line).requests() }

  private func refusal(_ line: String) -> String? {
    do {
      _ = try requests(line)
      return nil
    } catch let error as DownloadError {
      return error.failure == .usage ? error.message : "not a usage error: \(error)"
    } catch {
      return "\(error)"
    }
  }

  @Test func aLineBecomesAJob() throws {
    let line =
      "-n 8 --force --min-split 1M -u me:pw -A agent -H A:b -H Accept: -o sub/x.iso -d /nowhere https://h/a.iso"
    let request = try #require(try requests(line).first)
    #expect(request.url.absolute == "https://h/a.iso")
    #expect(request.connections == .fixed(8) && request.minimumSplit == .kibi(1 << 10) && request.replacesExisting)
    #expect(request.http.credentials == RemoteURL.UserInfo(user: "me", password: "pw"))
    #expect(request.http.userAgent == "agent" && request.http.headers == [HeaderField("A", "b")])
    #expect(request.http.suppressedHeaders == ["Accept"])
    #expect(request.target.folder == "/nowhere/sub" && request.target.name == "x.iso")
  }

  @Test(arguments: [
    ["curl", "https://h/a?b=\\[c\\]", "-H", "A: b", "-b", "c=d", "-b", "e=f", "-A", "x", "-e", "r", "-u", "me:p w"],
    ["curl", "curl 'https://h/a?b=\\[c\\]' -H 'A: b' -b c=d -b e=f -A x -e r -u $'me:p w' -L --compressed"],
  ])
  func aBrowsersLineBecomesAJob(words: [String]) throws {
    let request = try #require(try ArgumentParser.parse(["-n", "3", "-o", "x"] + words).requests().first)
    #expect(request.url.absolute == "https://h/a?b=[c]" && request.target.name == "x")
    #expect(request.connections == .fixed(3) && request.http.headers == [HeaderField("A", "b")])
    #expect(request.http.cookie == "c=d; e=f" && request.http.userAgent == "x" && request.http.referer == "r")
    #expect(request.http.credentials == RemoteURL.UserInfo(user: "me", password: "p w"))
  }

  @Test func aMissingSchemeIsHTTP() throws {
    #expect(try requests("h/a").first?.url.absolute == "http://h/a")
  }

  @Test func userInfoOfTheURLCountsUnlessThereIsAnother() throws {
    let user = RemoteURL.UserInfo(user: "m@", password: "p:w")
    #expect(try requests("http://m%40:p%3Aw@h/a").first?.http.credentials == user)
    #expect(try requests("http://m@h/a").first?.http.credentials == RemoteURL.UserInfo(user: "m", password: ""))
    #expect(try requests("-u x:y http://m:n@h/a").first?.http.credentials?.user == "x")
  }

  @Test(arguments: [
    ("-q", "no URL was given; try 'swoop -h'"), ("", "no URL was given; try 'swoop -h'"),
    ("help", "did you mean --help?"), ("-s 16 h/a", "did you mean -n 16?"),
    ("-d http://me:S3CR3T@h/f h/a", "'http://***@h/f' is a URL"),
    ("-o https://h/f?S3CR3T h/a", "'https://h/f?***' is a URL"), ("-o x get h/a", "not a URL: 'get'"),
    ("x/download verfy", "not a URL: 'verfy'"),
    ("http://", "URL"), ("http://h:99999/a", "URL"), ("gopher://h/a", "gopher"),
    ("-o x h/a h/b", "several URLs"), ("--md5 00000000000000000000000000000000 h/a h/b", "several URLs"),
    ("h/a/x h/b/x", "would both be saved as 'x'"),
    ("h/a/x h/b/x", "with --output, or as a list, -i, with output="), ("-d d -o /x h/a", "--directory"),
    ("-H @/nowhere/at/all h/a", "cannot read"), ("-o - h/a h/b", "--output - sends one file"),
    ("-o x.part h/a", ".part"), ("--cacert /nowhere h/a", "cannot read"), ("--key / h/a", "folder"),
  ])
  func whatMakesNoJobIsRefused(line: String, part: String) throws {
    let message = try #require(refusal(line))
    #expect(message.contains(part))
  }

  @Test func theNewAddressIsCheckedToo() throws {
    let error = #expect(throws: DownloadError.self) {
      try parse("resume --url help x.part").request(
        resuming: PartName(typed: "x.part"), from: "http://h/x", urlIsIncomplete: false)
    }
    #expect(error?.failure == .usage)
  }

  @Test func aPartBecomesAJob() throws {
    let part = try PartName(typed: "dir/x.iso.part")
    let request = try parse("resume -n 2 dir/x.iso.part").request(
      resuming: part, from: "https://h/a.iso", urlIsIncomplete: false)
    #expect(request.url.absolute == "https://h/a.iso" && request.connections == .fixed(2))
    #expect(request.target.folder == "dir" && request.target.name == "x.iso" && !request.acceptsNewURL)
  }

  @Test func anExpiredURLNeedsANewOne() throws {
    let part = try PartName(typed: "x.iso.part")
    let error = #expect(throws: DownloadError.self) {
      try parse("resume x.iso.part").request(
        resuming: part, from: "https://h/a.iso", urlIsIncomplete: true)
    }
    #expect(error?.failure == .manifestUnusable && error?.message.contains("--url") == true)
    let request = try parse("resume --url http://n/b x.iso.part").request(
      resuming: part, from: "https://h/a.iso", urlIsIncomplete: true)
    #expect(request.url.absolute == "http://n/b" && request.acceptsNewURL)
  }
}
