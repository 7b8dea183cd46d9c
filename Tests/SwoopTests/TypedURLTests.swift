import DownloadCore
import Testing

@testable import swoop

@Suite struct TypedURLTests {
  private func refusal(_ word: String) -> String? {
    let kinds: [String: OutputName.Kind] = [
      "one.bin": .file, "sub": .folder, "sub/": .folder, "sub/f.iso": .file, "h.org/f.iso": .file, "pipe.0": .stream,
    ]
    do {
      try TypedURL.check(word) { kinds[$0] ?? .nothing }
      return nil
    } catch {
      return error.failure == .usage ? error.message : "not a usage error: \(error.message)"
    }
  }

  @Test(arguments: [
    "http://help", "ftp://x", "help/", "h/a", "nas:8080", "[::1]", "example.com", "example.com.", "127.0.0.1",
    "localhost", "LocalHost", "example.com?x=1", "h.org/f.iso", "me:pw@h", "localhost/a", "münchen.de",
    "example.com/x.meta4", "x.meta4.org",
  ])
  func hostsAreTakenForHosts(word: String) {
    #expect(refusal(word) == nil)
  }

  @Test(arguments: [
    ("help", "not a URL: 'help'; did you mean --help?"), ("hlp", "not a URL: 'hlp'; try 'swoop -h'"),
    ("version", "not a URL: 'version'; did you mean --version?"),
    ("get", "not a URL: 'get'; did you mean swoop URL?"), ("verify", "not a URL: 'verify'; did you mean swoop verify?"),
    ("verfy", "not a URL: 'verfy'; did you mean verify?"), ("Resum", "not a URL: 'Resum'; did you mean resume?"),
    ("stats", "not a URL: 'stats'; did you mean status?"), ("dowload", "not a URL: 'dowload'; did you mean swoop URL?"),
    ("-", "not a URL: '-'; try 'swoop -h'"), ("ubuntu", "not a URL: 'ubuntu'; try 'swoop -h'"),
    (".com", "not a URL: '.com'; try 'swoop -h'"), ("com.", "not a URL: 'com.'; try 'swoop -h'"),
    ("word?token=a.b", "not a URL: 'word'; try 'swoop -h'"), ("pw@host", "not a URL: '***@host'; try 'swoop -h'"),
    ("", "a URL is empty"), ("/tmp/x", "not a URL: '/tmp/x'; try 'swoop -h'"),
    ("./x.iso", "not a URL: './x.iso'; try 'swoop -h'"), ("x.meta4", "no such file: 'x.meta4'"),
    ("./X.META4", "no such file: './X.META4'"), ("x.metalink", "no such file: 'x.metalink'"),
    ("S3CR3T@x.meta4", "no such file: '***@x.meta4'"),
  ])
  func otherWordsAreRefused(word: String, message: String) {
    #expect(refusal(word) == message)
  }

  @Test(arguments: [
    ("one.bin", "'one.bin' is a file that is here, not a URL; did you mean swoop verify?"),
    ("sub/f.iso", "'sub/f.iso' is a file that is here, not a URL; did you mean swoop verify?"),
    ("sub", "'sub' is a folder that is here, not a URL; did you mean -d sub?"),
    ("sub/", "'sub/' is a folder that is here, not a URL; did you mean -d sub/?"),
    ("pipe.0", "'pipe.0' is a device or FIFO that is here, not a URL"),
  ])
  func whatIsHereIsNoHost(word: String, message: String) {
    #expect(refusal(word) == message)
  }

  @Test func ofWhatIsNotHereNoSecretIsRepeated() {
    #expect(refusal("S3CR3T@h.part") == "not a URL: '***@h.part'; did you mean swoop resume ***@h.part?")
  }

  @Test(arguments: ["big.bin.part", "big.bin.part.json", "./big.bin.part"])
  func partsAreToBeResumed(word: String) {
    #expect(refusal(word) == "not a URL: '\(word)'; did you mean swoop resume \(word)?")
  }
}
