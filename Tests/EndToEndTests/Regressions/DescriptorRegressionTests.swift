import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Bug: where a process may open few files, the connections took them all, and no manifest could be saved.
@Suite(.waiting) struct DescriptorRegressionTests {
  /// Room for 13 beside what the command inherits, which without the tests are three.
  private static let limit = "ulimit -n $((13 + $(ls /proc/$$/fd | awk '$1 < 40' | wc -l)))"

  @Test(arguments: [["-n", "8"], ["-n", "auto"], ["-n", "1"]]) func checkpointsAreKept(options: [String]) throws {
    let trial = try Trial.healthy()
    let command = try Machine.shell(Self.limit, trial.command(options + ["--limit-rate", "1M"])).start()
    for _ in 0..<500 where (try? trial.manifest()?.done) ?? 0 == 0 {
      _ = command.waitForExit(timeout: .milliseconds(20))
    }
    command.kill()
    let result = try command.result()
    #expect(!result.error.contains("could not be saved"), "\(result.error)")
    #expect(try trial.manifest()?.done ?? 0 > 0, "\(result.error)")
    try trial.expectCleanRerun()
  }

  /// The system's soft limit is not the last word.
  @Test func aSoftLimitIsRaised() throws {
    let trial = try Trial.healthy()
    let result = try Machine.shell("ulimit -S -n 16", trial.command(["-n", "8"])).run()
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("ulimit"), "\(result.error)")
  }
}

/// Bug: secrets of a URL in the wrong place were shown.
@Suite struct MisplacedURLRegressionTests {
  @Test(arguments: [
    ["resume", "me:S3CR3T@h/f.part"], ["resume", "me:S3CR3T@h.part"], ["status", "me:S3CR3T@h/f.part"],
    ["verify", "--md5", "d41d8cd98f00b204e9800998ecf8427e", "me:S3CR3T@h/f"],
    ["-d", "http://me:S3CR3T@h/f", "http://127.0.0.1:1/f"], ["-d", "https://h/f?token=S3CR3T", "http://127.0.0.1:1/f"],
    ["-o", "http://me:S3CR3T@h/f", "http://127.0.0.1:1/f"], ["--config", "http://me:S3CR3T@h/f?token=S3CR3T", "h/f"],
  ])
  func isNotShown(words: [String]) throws {
    let folder = try TemporaryFolder()
    let result = try CommandRunner.swoop(words, in: folder).run()
    #expect(result.exitCode == 2, "\(result.error)")
    #expect(!result.error.contains("S3CR3T") && result.error.count(of: "\n") == 1, "\(result.error)")
    #expect(try folder.names().isEmpty)
  }

  /// A name may well look like that, if it is here.
  @Test func aFileOfSuchANameIsAFile() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "12:30@home")
    let words = ["verify", "--md5", "d41d8cd98f00b204e9800998ecf8427e", "12:30@home"]
    let result = try CommandRunner.swoop(words, in: folder).run()
    #expect(result.exitCode == 0 && result.output == "12:30@home: OK\n", "\(result.error)")
  }
}
