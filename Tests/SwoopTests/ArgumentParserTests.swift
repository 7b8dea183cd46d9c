import DownloadCore
import Testing

@testable import swoop

/// The words of a line, split at blanks.
func parse(_ line: String) throws -> Arguments { try ArgumentParser.parse(line.split(separator: " ").map(String.init)) }

/// The message with which words are refused; nil where they are not.
func refusal(_ words: [String]) -> String? {
  do {
    _ = try ArgumentParser.parse(words)
    return nil
  } catch {
    return error.failure == .usage ? error.message : "not a usage error: \(error.message)"
  }
}

@Suite struct ArgumentParserTests {
  @Test func optionsStandBeforeAndAfterURLs() throws {
    let arguments = try parse("-q http://a/x --force http://b/y -n 8")
    #expect(arguments.operands == ["http://a/x", "http://b/y"])
    #expect(arguments.isQuiet && arguments.replacesExisting)
    #expect(arguments.connections == .fixed(8))
  }

  @Test(arguments: [
    "-o f.iso u", "-of.iso u", "--output f.iso u", "--output=f.iso u", "u -qof.iso", "-o x u -o f.iso", "-qkof.iso u",
  ])
  func aValueIsGivenInManyWays(line: String) throws {
    #expect(try parse(line).output == "f.iso")
  }

  @Test func aValueMayHoldEqualsSigns() throws {
    #expect(try parse("--cookie=a=b u").http.cookie == "a=b")
    #expect(try parse("-ba=b u").http.cookie == "a=b")
  }

  @Test func twoDashesEndTheOptions() throws {
    let arguments = try parse("-q -- -o --help resume")
    #expect(arguments.operands == ["-o", "--help", "resume"])
    #expect(arguments.verb == .fetch && arguments.information == nil)
  }

  @Test(arguments: [
    ("resume a.part", Verb.resume), ("-q resume a.part", .resume), ("verify f", .verify), ("status a.part", .status),
    ("http://a/resume", .fetch), ("u verify", .fetch), ("-- status", .fetch), ("-o resume u", .fetch),
  ])
  func theVerbIsTheFirstWord(line: String, verb: Verb) throws {
    #expect(try parse(line).verb == verb)
  }

  @Test func switchesTakeEffect() throws {
    let arguments = try parse(
      "-kv --force --restart --no-content-disposition --no-preallocate --no-mtime --dry-run u")
    #expect(arguments.http.isInsecure && arguments.isVerbose && arguments.replacesExisting && arguments.restarts)
    #expect(!arguments.usesContentDisposition && !arguments.preallocates && !arguments.keepsServerTime)
    #expect(arguments.isDryRun)
  }

  @Test func valuesTakeEffect() throws {
    let arguments = try parse(
      "-d dir --min-split 1.5M --connect-timeout 2.5 --stall-timeout 3 --give-up-after .5 -A agent -e ref -b a=b "
        + "--no-proxy * -x socks5h://p:1080 --cacert c --cert d --key e --progress plain u")
    #expect(arguments.directory == "dir")
    #expect(arguments.minimumSplit == ByteCount(3 << 19))
    #expect(arguments.timeouts.connect == 2.5 && arguments.timeouts.stall == 3 && arguments.timeouts.giveUp == 0.5)
    #expect(arguments.http.userAgent == "agent" && arguments.http.referer == "ref" && arguments.http.cookie == "a=b")
    #expect(arguments.http.noProxy == "*" && arguments.http.proxy == "socks5h://p:1080")
    #expect(arguments.http.authorities == "c" && arguments.http.certificate == "d" && arguments.http.key == "e")
    #expect(arguments.progress == .plain)
  }

  @Test func credentialsAreSplitAtTheFirstColon() throws {
    #expect(try parse("-u me:a:b u").http.credentials == RemoteURL.UserInfo(user: "me", password: "a:b"))
    #expect(try parse("-u me u").http.credentials == RemoteURL.UserInfo(user: "me", password: nil))
    #expect(try parse("-u me: u").http.credentials == RemoteURL.UserInfo(user: "me", password: ""))
  }

  @Test func habitsOfCurlAndWgetChangeNothing() throws {
    let arguments = try parse("-fSL -O -J -c -C - -C- http://a/x")
    #expect(arguments.operands == ["http://a/x"])
    #expect(!arguments.isQuiet)
    #expect(try parse("-sSfL u").isQuiet)
  }

  @Test(arguments: [("-h", Arguments.Information.shortHelp), ("--help", .fullHelp), ("-V", .version)])
  func helpComesBeforeWhatFollows(word: String, information: Arguments.Information) throws {
    #expect(try parse("\(word) --nonsense").information == information)
  }

  @Test func digestsAddUpAndCannotDisagree() throws {
    let (a, b) = (String(repeating: "a", count: 32), String(repeating: "B", count: 40))
    let arguments = try parse("--md5 \(a) --md5 \(a) --checksum SHA-1:\(b) u")
    #expect(arguments.digests == [Digest(.md5, hex: a), Digest(.sha1, hex: b.lowercased())])
    let other = String(repeating: "c", count: 32)
    #expect(refusal(["--md5", a, "--checksum", "md5=\(other)", "u"])?.contains("two different md5") == true)
  }
}
