import FaultCatalogue
import TestSupport
import Testing

@testable import swoop

/// `--generate` and `--version`.
@Suite(.waiting) struct DocumentTests {
  /// The page in a folder.
  private func page() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let result = try CommandRunner.swoop("--generate", "man").run()
    #expect(result.exitCode == 0 && result.error.isEmpty, "\(result.error)")
    try folder.write(result.output, to: "swoop.1")
    return folder
  }

  @Test func mandocHasNothingToSay() throws {
    let folder = try page()
    let clean = try CommandRunner("mandoc", ["-T", "lint", folder.path("swoop.1")]).run()
    #expect(clean.exitCode == 0 && clean.output.isEmpty, "\(clean.output)")
    try folder.write(folder.text("swoop.1") + ".XX no such macro\n", to: "swoop.1")
    #expect(try !CommandRunner("mandoc", ["-T", "lint", folder.path("swoop.1")]).run().output.isEmpty)
  }

  @Test func manShowsWhatIsToBeTyped() throws {
    let folder = try page()
    var runner = CommandRunner("man", ["--warnings", "-l", folder.path("swoop.1")])
    runner.environment = ["LC_ALL": "C.UTF-8", "MANWIDTH": "200", "MAN_KEEP_FORMATTING": nil, "MANPAGER": "cat"]
    let result = try runner.run()
    #expect(result.exitCode == 0 && result.error.isEmpty, "\(result.error)")
    for text in ["-o, --output FILE", "-H, --header 'NAME: VALUE'", "swoop resume debian.iso.part --url 'https://"] {
      #expect(result.output.contains(text), "\(text)")
    }
    #expect(!result.output.contains("\u{2010}") && !result.output.contains("\u{2212}"))
    #expect(result.output.contains("--repair URL"))
  }

  @Test func anUnknownKindIsWrongUsage() throws {
    for words in [["--generate", "tcsh"], ["--generate="], ["--generate"]] {
      let result = try CommandRunner.swoop(words).run()
      #expect(result.exitCode == 2 && result.output.isEmpty, "\(result.output)")
      #expect(result.error.count(of: "\n") == 1 && result.error.contains("--generate"), "\(result.error)")
    }
  }

  @Test func aClosedOutputIsAnError() throws {
    var runner = CommandRunner.swoop("--generate", "bash")
    runner.output = .closed
    let result = try runner.run()
    #expect(result.exitCode == 7 && result.error.contains("standard output"), "\(result.error)")
  }

  @Test func versionNamesTheLibraries() throws {
    let output = try CommandRunner.swoop("--version").run().output
    #expect(output.hasPrefix("swoop "))
    for name in ["libcurl", "OpenSSL", "zlib", "ISA-L", "expat"] {
      let range = try #require(output.firstRange(of: name + "/"), "\(output)")
      #expect(output[range.upperBound...].first?.isNumber == true, "\(output)")
    }
  }
}
