internal import Glibc
internal import TestSupport

// Serves one made-up or real file as a healthy server would, no faster than it is told, until TERM or INT.
// The first line of standard output is the URL.

/// Words on standard error, and the exit code for a wrong use.
func fail(_ message: String) -> Never {
  let bytes = Array("scripted-server: \(message)\n".utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
  exit(2)
}

let options: ServerOptions
do {
  options = try ServerOptions(CommandLine.arguments.dropFirst())
} catch {
  fail("\(error)\n\n\(ServerOptions.usage)")
}

// Before any thread begins, so that the signals come to `sigwait` alone.
var signals = sigset_t()
sigemptyset(&signals)
sigaddset(&signals, SIGTERM)
sigaddset(&signals, SIGINT)
pthread_sigmask(SIG_BLOCK, &signals, nil)

do {
  let name = options.name
  let delay = options.delay
  let content = try options.content()
  let server = try ScriptedServer(settings: options.settings) { request in
    guard request.path == "/\(name)" else { return .status(404, reason: "Not Found", text: "no such file\n") }
    return .file(content) { $0.delay = delay }
  }
  let line = Array((server.url("/\(name)") + "\n").utf8)
  _ = write(STDOUT_FILENO, line, line.count)
  var signal: Int32 = 0
  sigwait(&signals, &signal)
  server.stop()
} catch {
  fail("\(error)")
}
