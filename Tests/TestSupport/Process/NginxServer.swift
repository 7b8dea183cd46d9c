internal import Glibc

/// A real nginx that serves a folder on a loopback port, with everything of its own in a temporary folder.
package final class NginxServer: Sendable {
  /// How it serves.
  package struct Settings: Sendable {
    /// Serves https on a second port, with this certificate.
    package var certificate: SelfSignedCertificate?
    /// `limit_rate`: bytes in a second for each request, as nginx writes them, such as `500k`.
    package var limitRate: String?
    /// `limit_conn`: the most requests answered at a time; others get 503.
    package var limitConnections: Int?
    /// The only TLS versions, such as `TLSv1.1`; nil for nginx's own choice.
    package var protocols: String?
    /// Lines for the `server` block, such as `max_ranges 0;`.
    package var directives = ""

    package init() {}
  }

  /// A line of the access log.
  package struct LogEntry: Sendable, Equatable {
    package let method: String
    package let path: String
    /// The Range field; nil for none.
    package let range: String?
    package let status: Int
    package let bodyBytesSent: Int64
  }

  /// nginx did not come up.
  package struct StartFailure: Error, CustomStringConvertible {
    package let description: String
  }

  /// The port for http.
  package let port: UInt16
  /// The port for https, if it has one.
  package let securePort: UInt16?
  private let folder: TemporaryFolder
  private let process: RunningCommand

  /// The nginx that is installed, if one is.
  package static var executable: String? {
    ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx", "/usr/local/nginx/sbin/nginx"]
      .first { access($0, X_OK) == 0 }
  }

  /// Serves `root`, an absolute path, and returns when the port answers. Throws `StartFailure`.
  package init(serving root: String, settings: Settings = Settings()) throws {
    guard let executable = Self.executable else { throw StartFailure(description: "nginx is not installed") }
    folder = try TemporaryFolder()
    try settings.certificate?.make(in: folder)
    var failure = ""
    // Somebody else may take a port between its choice and nginx's bind.
    for _ in 0..<5 {
      let port = try LoopbackAddress.freePort()
      let securePort = try settings.certificate.map { _ in try LoopbackAddress.freePort() }
      let configuration = NginxConfiguration(
        root: root, folder: folder.path, port: port, securePort: securePort, settings: settings)
      try folder.write(configuration.text, to: "nginx.conf")
      var command = CommandRunner(executable, ["-p", folder.path, "-c", folder.path("nginx.conf")])
      command.leadsGroup = true
      let process = try command.start()
      if Self.isUp(process, port: port, folder) {
        self.process = process
        self.port = port
        self.securePort = securePort
        return
      }
      process.kill()
      failure = process.error
    }
    throw StartFailure(description: "nginx does not start: \(failure)")
  }

  deinit {
    stop()
  }

  /// The URL of a path that begins with a slash.
  package func url(_ path: String) -> String {
    "http://127.0.0.1:\(port)\(path)"
  }

  /// The https URL of a path that begins with a slash; with `SelfSignedCertificate` it needs `--cacert`.
  package func secureURL(_ path: String) -> String {
    "https://localhost:\(securePort ?? 0)\(path)"
  }

  /// The file to trust for https.
  package var certificate: String {
    folder.path(SelfSignedCertificate.name)
  }

  /// The access log so far. nginx writes a line when the answer has ended, be it early.
  package func log() throws -> [LogEntry] {
    guard folder.contains("access.log") else { return [] }
    return try folder.text("access.log").split(separator: "\n").compactMap(LogEntry.init)
  }

  /// Waits until the access log is as wanted, and returns it; as it then is after `timeout`.
  package func log(timeout: Duration = .seconds(10), until predicate: ([LogEntry]) -> Bool) throws -> [LogEntry] {
    let deadline = ContinuousClock.now + timeout
    while true {
      let entries = try log()
      if predicate(entries) || ContinuousClock.now > deadline { return entries }
      poll(nil, 0, 5)
    }
  }

  /// Ends nginx and its workers, and waits for that.
  package func stop() {
    process.signal(SIGTERM)
    if process.waitForExit(timeout: .seconds(5)) == nil { process.kill() }
  }

  /// Waits until nginx has bound its ports, which it shows by its pid file, and accepts a connection.
  private static func isUp(_ process: RunningCommand, port: UInt16, _ folder: TemporaryFolder) -> Bool {
    let deadline = ContinuousClock.now + .seconds(10)
    while process.isRunning && ContinuousClock.now < deadline {
      if folder.contains("nginx.pid"), let descriptor = try? LoopbackAddress(port: port).connect() {
        close(descriptor)
        return true
      }
      poll(nil, 0, 5)
    }
    return false
  }
}

extension NginxServer.LogEntry {
  fileprivate init?(_ line: Substring) {
    let words = line.split(separator: " ")
    guard words.count == 5, let status = Int(words[3]), let bytes = Int64(words[4]) else { return nil }
    method = String(words[0])
    path = String(words[1])
    range = words[2] == "-" ? nil : String(words[2])
    self.status = status
    bodyBytesSent = bytes
  }
}
