internal import Glibc

/// A command to run: its words, its environment and where its output goes. A value that can be run many times.
///
///     let result = try CommandRunner.swoop("-o", "out.bin", server.url(), in: folder).run()
package struct CommandRunner: Sendable {
  /// What the command reads.
  package enum Input: Sendable {
    /// /dev/null
    case null
    case bytes([UInt8])
    case file(String)
  }

  /// Where standard output goes.
  package enum Output: Sendable {
    /// A pipe that is read as fast as it fills.
    case captured
    case file(String)
    /// The command starts without a descriptor 1.
    case closed
  }

  /// A pseudo-terminal for the command.
  package struct Terminal: Sendable {
    package var columns: UInt16 = 80
    package var rows: UInt16 = 24
    /// Whether standard input and output are the terminal too, which is then the controlling terminal of a session
    /// of its own; else it is standard error alone.
    package var isForAllStreams = false

    package init(columns: UInt16 = 80, rows: UInt16 = 24, forAllStreams: Bool = false) {
      self.columns = columns
      self.rows = rows
      isForAllStreams = forAllStreams
    }
  }

  /// The file to execute, found on PATH if it has no slash.
  package var executable: String
  /// The words after the command's name.
  package var arguments: [String]
  /// Changes to the environment of the tests; nil removes a name.
  package var environment: [String: String?] = [:]
  /// The working directory; nil for that of the tests.
  package var workingDirectory: String?
  /// What the command reads.
  package var input = Input.null
  /// Where standard output goes.
  package var output = Output.captured
  /// A terminal, instead of pipes.
  package var terminal: Terminal?
  /// Whether the command leads a process group of its own, so that `RunningCommand.signalGroup` reaches its children.
  package var leadsGroup = false

  /// A command found on PATH, or at a path.
  package init(_ executable: String, _ arguments: [String]) {
    self.executable = executable
    self.arguments = arguments
  }

  /// The built `swoop`, with a folder to work in.
  package static func swoop(_ arguments: String..., in folder: TemporaryFolder? = nil) -> CommandRunner {
    swoop(arguments, in: folder)
  }

  /// The built `swoop`, with a folder to work in.
  package static func swoop(_ arguments: [String], in folder: TemporaryFolder? = nil) -> CommandRunner {
    var runner = CommandRunner(BuiltProducts.swoop, arguments)
    runner.workingDirectory = folder?.path
    return runner
  }

  /// Starts the command. Throws `SystemCallFailure`.
  package func start() throws -> RunningCommand {
    try RunningCommand(self)
  }

  /// Runs the command to its end; it is killed after `timeout`, and that is an error.
  package func run(timeout: Duration = .seconds(60)) throws -> CommandResult {
    try start().result(timeout: timeout)
  }
}
