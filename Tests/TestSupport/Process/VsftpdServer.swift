internal import Glibc

/// A real vsftpd that serves a folder to anonymous users on a loopback port, with everything of its own in a temporary
/// folder. It runs as who runs the tests.
package final class VsftpdServer: Sendable {
  /// How it serves.
  package struct Settings: Sendable {
    /// Serves ftps (implicit TLS) with this certificate, and nothing else.
    package var certificate: SelfSignedCertificate?
    /// The only password that anonymous users may give; nil for any.
    package var password: String?
    /// Bytes in a second for each transfer; nil for no limit.
    package var limitRate: Int?
    /// The most connections at a time; others are answered 421.
    package var mostConnections: Int?
    /// Commands that it answers 550 to.
    package var denied: [String] = []

    package init() {}
  }

  /// vsftpd did not come up.
  package struct StartFailure: Error, CustomStringConvertible {
    package let description: String
  }

  /// The port of its control connections.
  package let port: UInt16
  private let isSecure: Bool
  private let folder: TemporaryFolder
  private let process: RunningCommand

  /// The vsftpd that is installed, if one is.
  package static var executable: String? {
    ["/usr/sbin/vsftpd", "/usr/local/sbin/vsftpd"].first { access($0, X_OK) == 0 }
  }

  /// Serves `root`, an absolute path, and returns when the port answers. Throws `StartFailure`.
  package init(serving root: String, settings: Settings = Settings()) throws {
    guard let executable = Self.executable else { throw StartFailure(description: "vsftpd is not installed") }
    folder = try TemporaryFolder()
    isSecure = settings.certificate != nil
    try settings.certificate?.make(in: folder)
    try folder.makeFolder("empty", mode: 0o555)
    if let password = settings.password { try folder.write(password + "\n", to: "passwords") }
    var failure = ""
    // Somebody else may take a port between its choice and vsftpd's bind.
    for _ in 0..<5 {
      let port = try LoopbackAddress.freePort()
      try folder.write(Self.configuration(root, folder.path, port, settings), to: "vsftpd.conf", mode: 0o600)
      var command = CommandRunner(executable, [folder.path("vsftpd.conf")])
      command.leadsGroup = true
      let process = try command.start()
      if Self.isUp(process, port: port) {
        self.process = process
        self.port = port
        return
      }
      process.kill()
      failure = process.error + process.output
    }
    throw StartFailure(description: "vsftpd does not start: \(failure)")
  }

  deinit {
    process.kill()
  }

  /// The URL of a path that begins with a slash; with a certificate it needs `--cacert`.
  package func url(_ path: String, login: String = "") -> String {
    isSecure ? "ftps://\(login)localhost:\(port)\(path)" : "ftp://\(login)127.0.0.1:\(port)\(path)"
  }

  /// The file to trust for ftps.
  package var certificate: String { folder.path(SelfSignedCertificate.name) }

  /// The commands that it got so far, of all connections together.
  package func commands() throws -> [String] {
    try log().compactMap { line in
      guard let mark = line.firstRange(of: "FTP command: Client \"127.0.0.1\", \"") else { return nil }
      return String(line[mark.upperBound...].dropLast())
    }
  }

  /// Waits until the commands are as wanted; false after `timeout`.
  package func waitForCommands(
    timeout: Duration = .seconds(20), until predicate: ([String]) -> Bool
  ) throws -> Bool {
    let deadline = ContinuousClock.now + timeout
    while true {
      if try predicate(commands()) { return true }
      guard ContinuousClock.now < deadline else { return false }
      poll(nil, 0, 5)
    }
  }

  /// Ends every connection, and takes no more.
  package func stop() { process.kill() }

  private func log() throws -> [Substring] {
    guard folder.contains("log") else { return [] }
    return try folder.text("log").split(separator: "\n")
  }

  /// Waits until it greets.
  private static func isUp(_ process: RunningCommand, port: UInt16) -> Bool {
    let deadline = ContinuousClock.now + .seconds(10)
    while process.isRunning && ContinuousClock.now < deadline {
      if let descriptor = try? LoopbackAddress(port: port).connect() {
        close(descriptor)
        return true
      }
      poll(nil, 0, 5)
    }
    return false
  }

  private static func configuration(_ root: String, _ folder: String, _ port: UInt16, _ settings: Settings) -> String {
    var lines = [
      "listen=YES", "listen_address=127.0.0.1", "listen_port=\(port)", "background=NO", "anonymous_enable=YES",
      "local_enable=NO", "anon_root=\(root)", "run_as_launching_user=YES", "secure_chroot_dir=\(folder)/empty",
      "connect_from_port_20=NO", "seccomp_sandbox=NO", "xferlog_enable=YES", "xferlog_std_format=NO",
      "log_ftp_protocol=YES", "vsftpd_log_file=\(folder)/log", "anon_world_readable_only=NO",
    ]
    if settings.certificate != nil {
      lines += ["ssl_enable=YES", "implicit_ssl=YES", "allow_anon_ssl=YES", "force_anon_data_ssl=YES"]
      lines += ["rsa_cert_file=\(folder)/\(SelfSignedCertificate.name)"]
      lines += ["rsa_private_key_file=\(folder)/\(SelfSignedCertificate.keyName)", "ssl_ciphers=HIGH"]
    }
    if settings.password != nil {
      lines += ["secure_email_list_enable=YES", "email_password_file=\(folder)/passwords"]
    }
    if let rate = settings.limitRate { lines.append("anon_max_rate=\(rate)") }
    if let most = settings.mostConnections { lines.append("max_per_ip=\(most)") }
    if !settings.denied.isEmpty { lines.append("cmds_denied=\(settings.denied.joined(separator: ","))") }
    return lines.map { $0 + "\n" }.joined()
  }
}
