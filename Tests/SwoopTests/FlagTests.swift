import Testing

@testable import swoop

@Suite struct FlagTests {
  /// Every long option of the contract.
  @Test(arguments: [
    "output", "directory", "force", "restart", "connections", "min-split", "mirror", "md5", "sha1", "sha256", "sha512",
    "checksum", "checksum-file", "no-server-digest", "header", "user-agent", "referer", "cookie", "netrc", "user",
    "proxy", "no-proxy", "insecure", "cacert", "cert", "key", "interface", "resolve", "limit-rate", "connect-timeout",
    "stall-timeout", "give-up-after", "max-size", "no-content-disposition", "no-preallocate", "no-mtime", "dry-run",
    "input", "jobs", "quiet", "verbose", "progress", "json", "config", "no-config", "help", "ipv4", "ipv6", "version",
    "range",
    "output-offset", "window", "metalink", "keep-manifest", "repair", "url",
  ])
  func isKnown(name: String) {
    #expect(Flags.named(name) != nil)
  }

  @Test func namesAreUnique() {
    let long = Flags.all.compactMap(\.long)
    let short = Flags.all.compactMap(\.short)
    #expect(Set(long).count == long.count)
    #expect(Set(short).count == short.count)
    #expect(Flags.all.allSatisfy { $0.long != nil || $0.short != nil })
  }

  @Test func forceHasNoShortForm() {
    #expect(Flags.named("force")?.short == nil)
    #expect(Flags.named(Character("f"))?.category == .habits)
  }

  @Test func helpsNameWhatIsBuiltAndNothingElse() {
    for flag in Flags.all {
      #expect(Help.full.contains(flag.name + " "))
      #expect(!flag.help.isEmpty)
    }
  }

  @Test func helpFitsAHundredColumns() {
    for line in (Help.full + Help.short).split(separator: "\n") { #expect(line.count <= 100) }
  }

  @Test func helpSaysHowLongNoServerIsTried() {
    #expect(Help.full.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("for 15 s at most"))
    #expect(Help.full.contains("a partial file of swoop's is resumed anyway"))
  }

  @Test func helpSaysWhatMD5IsWorth() {
    #expect(Help.full.contains("md5 and sha1 find damage"))
  }
}
