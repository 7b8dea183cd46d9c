/// How a command ended, and what it wrote.
package struct CommandResult: Sendable {
  /// How a process ends.
  package enum Termination: Sendable, Equatable {
    case exited(Int32)
    case signalled(Int32)
  }

  /// How it ended.
  package let termination: Termination
  /// What it wrote to standard output, unless that was a terminal.
  package let outputBytes: [UInt8]
  /// What it wrote to standard error, or to its terminal.
  package let errorBytes: [UInt8]
  /// The most memory it had, in KiB.
  package let peakMemory: Int
  /// Whether that is its own. Of a short run it may be the memory of who started it, whose image it had until then.
  package let isPeakMeasured: Bool
  /// Processor time.
  package let userTime: Duration
  /// Processor time.
  package let systemTime: Duration
  /// From start to end.
  package let elapsed: Duration

  /// The exit code; 128 and the signal, as a shell says it, after death by a signal.
  package var exitCode: Int32 {
    switch termination {
    case .exited(let code): code
    case .signalled(let signal): 128 + signal
    }
  }

  /// Standard output as text.
  package var output: String { String(decoding: outputBytes, as: UTF8.self) }
  /// Standard error, or what was written to the terminal, as text.
  package var error: String { String(decoding: errorBytes, as: UTF8.self) }
}

/// A command that did not end in time. It has been killed.
package struct CommandTimeout: Error, CustomStringConvertible {
  package let description: String
}
