import DownloadCore
import Testing

@testable import swoop

@Suite struct ConfigurationTextTests {
  private typealias Line = ConfigurationText.Line

  private func lines(_ text: String) throws -> [Line] { try ConfigurationText(Array(text.utf8)).lines }

  @Test func linesAreNamesAndValues() throws {
    let text = "connections=8\n\n# a comment\n  quiet \n\theader = A: b=c # d \nproxy=\n"
    #expect(
      try lines(text) == [
        Line(number: 1, name: "connections", value: "8"), Line(number: 4, name: "quiet", value: nil),
        Line(number: 5, name: "header", value: "A: b=c # d"), Line(number: 6, name: "proxy", value: ""),
      ])
  }

  @Test func marksAndLineEndsOfOtherSystemsAreRead() throws {
    let expected = [Line(number: 1, name: "a", value: "b"), Line(number: 2, name: "c", value: nil)]
    #expect(try lines("\u{FEFF}a=b\r\nc\r\n") == expected)
    #expect(try lines("a=b\nc") == expected)
    #expect(try lines("") == [] && lines("\u{FEFF}") == [] && lines("\r\n \n#") == [])
  }

  @Test(
    arguments: [[0x61, 0x0A, 0xFF], [0x61, 0x0A, 0x00], [0x0A, 0x61, 0x0D, 0x62], [0x0A, 0x1B, 0x5B]] as [[UInt8]])
  func whatIsNoTextIsRefused(bytes: [UInt8]) {
    #expect(throws: ConfigurationText.Malformed(line: 2)) { try ConfigurationText(bytes) }
  }
}

/// What was typed and what a config file says.
@Suite struct ConfiguredArgumentsTests {
  private func configured(_ line: String) throws -> Arguments {
    var arguments = try parse(line)
    arguments.operands = []
    return arguments
  }

  @Test func whatIsTypedCountsBeforeIt() throws {
    let configured = try configured("-n 2 --limit-rate 1M -H A:b --resolve a:1:127.0.0.1 -4 --stall-timeout 3 -q u")
    let words = "-n 8 -H C:d --resolve b:2:::1 -6 u".split(separator: " ").map(String.init)
    let arguments = try ArgumentParser.parse(words, after: configured)
    #expect(arguments.connections == .fixed(8) && arguments.rateLimit == .kibi(1024) && arguments.isQuiet)
    #expect(arguments.timeouts.stall == 3 && arguments.http.addressFamily == .ipv6)
    #expect(arguments.headers == [.field(HeaderField("A", "b")), .field(HeaderField("C", "d"))])
    #expect(arguments.http.resolutions == ["a:1:127.0.0.1", "b:2:[::1]"])
    #expect(arguments.operands == ["u"])
  }

  /// Two different digests that were typed contradict each other; one that is configured gives way.
  @Test func digestsGiveWay() throws {
    let (zeros, ones) = (String(repeating: "0", count: 32), String(repeating: "1", count: 32))
    let configured = try configured("--md5 \(zeros) --checksum-file a u")
    let typed = try ArgumentParser.parse(["--md5", ones, "u"], after: configured)
    #expect(typed.digests.map(\.hex) == [ones] && typed.checksumFile == nil)
    #expect(try ArgumentParser.parse(["u"], after: configured).digests.map(\.hex) == [zeros])
    #expect(throws: DownloadError.self) {
      try ArgumentParser.parse(["--md5", ones, "--md5", zeros, "u"], after: configured)
    }
  }
}

@Suite struct ResolutionTests {
  @Test(arguments: [
    ("a:80:127.0.0.1", "a:80:127.0.0.1"), ("a.b:443:[::1]", "a.b:443:[::1]"), ("a:1:::1", "a:1:[::1]"),
    ("*:80:127.0.0.1", "*:80:127.0.0.1"), ("+a:80:127.0.0.1", "+a:80:127.0.0.1"), ("-a:80", "-a:80"),
    ("a:80:127.0.0.1,::1,[::2]", "a:80:127.0.0.1,[::1],[::2]"),
  ])
  func isTaken(text: String, as entry: String) throws {
    #expect(try Resolution.checked(text) == entry)
  }

  @Test(arguments: [
    "", "a", "a:80", "a:80:", ":80:127.0.0.1", "a::127.0.0.1", "a:0:127.0.0.1", "a:65536:127.0.0.1", "a:x:127.0.0.1",
    "a:80:b", "a:80:127.0.0.1,", "a:80:999.0.0.1", "a:80:[127.0.0.1]", "a:80:[::1", "[::1]:80:127.0.0.1",
    "-a:80:127.0.0.1", "-a", "-:80", "+:80:127.0.0.1", "a b:80:127.0.0.1", "a/b:80:127.0.0.1", "http://u:S3CR3T@h/f",
  ])
  func isRefused(text: String) throws {
    let error = #expect(throws: DownloadError.self) { try Resolution.checked(text) }
    #expect(error?.failure == .usage && error?.message.contains("S3CR3T") == false)
  }
}
