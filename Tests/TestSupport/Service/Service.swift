internal import Glibc

/// What the commands have in common that serve something until they are told to end.
package enum Service {
  /// A word of the command line that cannot be understood.
  package struct UsageError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
      self.description = description
    }
  }

  /// Starts what `start` makes, writes the line that it gives, and stops it at TERM or INT.
  /// Exits with 2 and the usage where the command line is wrong or the start fails.
  package static func run<Server>(
    _ name: String, usage: String, start: () throws -> (server: Server, line: String), stop: (Server) -> Void
  ) {
    // Before any thread begins, so that the signals come to `sigwait` alone.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    do {
      let (server, line) = try start()
      say(line, to: STDOUT_FILENO)
      var signal: Int32 = 0
      sigwait(&signals, &signal)
      stop(server)
    } catch {
      say("\(name): \(error)" + (error is UsageError ? "\n\n\(usage)" : ""), to: STDERR_FILENO)
      exit(2)
    }
  }

  /// Reads `--name value` pairs; `set` says whether it has understood one.
  package static func readOptions(_ words: some Sequence<String>, set: (String, String) -> Bool) throws {
    var words = words.makeIterator()
    while let option = words.next() {
      guard let value = words.next() else { throw UsageError("\(option) needs a value") }
      guard set(option, value) else { throw UsageError("not understood: \(option) \(value)") }
    }
  }

  private static func say(_ text: String, to descriptor: Int32) {
    let bytes = Array((text + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}
