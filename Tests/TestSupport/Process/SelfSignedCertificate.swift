/// A certificate that signs itself, made with the `openssl` command, for a server that tests talk TLS to.
package struct SelfSignedCertificate: Sendable {
  /// The certificate's name in its folder.
  package static let name = "certificate.pem"
  /// The private key's name in its folder.
  package static let keyName = "key.pem"

  /// What it is valid for, as OpenSSL writes subjectAltName; nil for no such extension, so that `commonName` counts.
  package var names: String?
  /// The subject's common name.
  package var commonName = "localhost"
  /// Whether it was valid in January 2020 alone, instead of from then to the end of 2099.
  package var isExpired: Bool

  package init(names: String? = "DNS:localhost,IP:127.0.0.1", isExpired: Bool = false) {
    self.names = names
    self.isExpired = isExpired
  }

  /// Makes the certificate and its key in a folder.
  package func make(in folder: TemporaryFolder) throws {
    try folder.write(configuration, to: "ca.conf")
    try folder.write("", to: "ca.index")
    try openssl(
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-utf8",
      "-subj", "/CN=\(commonName)", "-keyout", Self.keyName, "-out", "request.pem", in: folder)
    // `openssl req -x509` cannot make what has expired.
    try openssl(
      "ca", "-batch", "-config", "ca.conf", "-selfsign", "-keyfile", Self.keyName, "-in", "request.pem", "-notext",
      "-out", Self.name, "-startdate", "20200101000000Z", "-enddate",
      isExpired ? "20200201000000Z" : "20991231000000Z", in: folder)
  }

  private func openssl(_ words: String..., in folder: TemporaryFolder) throws {
    var command = CommandRunner("openssl", words)
    command.workingDirectory = folder.path
    let result = try command.run()
    guard result.exitCode == 0 else { throw NginxServer.StartFailure(description: "openssl: \(result.error)") }
  }

  private var configuration: String {
    """
    [ca]
    default_ca = self
    [self]
    database = ca.index
    new_certs_dir = .
    default_md = sha256
    policy = policy
    x509_extensions = extensions
    rand_serial = yes
    [policy]
    commonName = supplied
    [extensions]
    \(names.map { "subjectAltName = \($0)" } ?? "basicConstraints = CA:TRUE")

    """
  }
}
