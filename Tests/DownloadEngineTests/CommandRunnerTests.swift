import TestSupport
import Testing

/// The runner that the end-to-end tests stand on.
@Suite struct CommandRunnerTests {
  private func shell(_ script: String) -> CommandRunner {
    CommandRunner("/bin/sh", ["-c", script])
  }

  @Test func capturesBothStreamsAndTheExitCode() throws {
    let result = try shell("echo out; echo err >&2; exit 7").run()
    #expect(result.output == "out\n")
    #expect(result.error == "err\n")
    #expect(result.termination == .exited(7))
    #expect(result.peakMemory > 0)
  }

  @Test func survivesLargeOutputOnBothStreams() throws {
    let result = try shell("head -c 3000000 /dev/zero >&2; head -c 2000000 /dev/zero").run()
    #expect(result.outputBytes.count == 2_000_000)
    #expect(result.errorBytes.count == 3_000_000)
  }

  @Test func startsWithAnEmptySignalMaskAndDefaultActions() throws {
    let status = try shell("grep -E '^Sig(Blk|Ign)' /proc/self/status").run().output
    let masks = status.split(separator: "\n").map { Int($0.suffix(16), radix: 16) }
    // Signals 32 and 33 are the C library's own.
    #expect(masks.map { $0.map { $0 & 0x7fff_ffff } } == [0, 0])
  }

  @Test func givesInputEnvironmentAndFolder() throws {
    let folder = try TemporaryFolder()
    var command = shell("cat; echo $A $HOME; pwd")
    command.input = .bytes(Array("in\n".utf8))
    command.environment = ["A": "b", "HOME": nil]
    command.workingDirectory = folder.path
    #expect(try command.run().output == "in\nb\n\(folder.path)\n")
  }

  @Test func waitsForOutputAndSignals() throws {
    let command = try shell("trap 'echo got it; exit 3' TERM; echo ready; while :; do sleep 0.01; done").start()
    #expect(command.waitForOutput(containing: "ready"))
    command.signal(15)
    let result = try command.result()
    #expect(result.termination == .exited(3))
    #expect(result.output == "ready\ngot it\n")
  }

  @Test func tellsDeathByASignal() throws {
    #expect(try shell("kill -9 $$").run().termination == .signalled(9))
  }

  @Test func killsWhatTakesTooLong() throws {
    #expect(throws: CommandTimeout.self) { try shell("exec sleep 60").run(timeout: .milliseconds(50)) }
  }

  @Test func closesOutputLikeAPager() throws {
    let command = try CommandRunner("yes", []).start()
    #expect(command.waitForOutput(containing: "y"))
    command.closeOutput()
    #expect(try command.result().termination == .signalled(13))
  }

  @Test func givesATerminalThatCanBeResized() throws {
    let script =
      "trap 'stty size; exit' WINCH; stty size; test -t 0 && test -t 1 && echo yes; while :; do sleep 0.01; done"
    var command = shell(script)
    command.terminal = .init(columns: 61, rows: 17, forAllStreams: true)
    let running = try command.start()
    #expect(running.waitForOutput(containing: "yes"))
    running.resize(columns: 132, rows: 50)
    #expect(try running.result().error == "17 61\r\nyes\r\n50 132\r\n")
  }

  @Test func givesATerminalForErrorsAlone() throws {
    var command = shell("test -t 2 && echo yes; test -t 1 || echo no; echo seen >&2")
    command.terminal = .init()
    let result = try command.run()
    #expect(result.output == "yes\nno\n")
    #expect(result.error == "seen\r\n")
  }
}
