internal import TestSupport

// Serves one made-up or real file as a healthy server would, no faster than it is told, until TERM or INT.
// The first line of standard output is the URL.

Service.run("scripted-server", usage: ServerOptions.usage) {
  let options = try ServerOptions(CommandLine.arguments.dropFirst())
  let name = options.name
  let delay = options.delay
  let content = try options.content()
  let server = try ScriptedServer(settings: options.settings) { request in
    guard request.path == "/\(name)" else { return .status(404, reason: "Not Found", text: "no such file\n") }
    return .file(content) { $0.delay = delay }
  }
  return (server, server.url("/\(name)"))
} stop: {
  $0.stop()
}
