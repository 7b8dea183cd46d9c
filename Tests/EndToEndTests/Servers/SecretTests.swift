import FaultCatalogue
import TestSupport
import Testing

/// Each secret alone, and the log of the host that a redirect leads to (H04, H05).
@Suite(.waiting) struct SecretTests {
  /// How a secret is given, what the origin is to see of it, and a home with a netrc file.
  private struct Secret {
    var options: [String] = []
    var userInfo = ""
    var query = ""
    /// A field and its value at the origin; nil: nothing is sent even there.
    var seen: (name: String, value: String)?
  }

  private static let secrets: [String: Secret] = [
    "authorization": .init(options: ["-H", "Authorization: Bearer S3CR3T"], seen: ("Authorization", "Bearer S3CR3T")),
    "own header": .init(options: ["-H", "X-Api-Key: S3CR3T"], seen: ("X-Api-Key", "S3CR3T")),
    "cookie": .init(options: ["-b", "session=S3CR3T"], seen: ("Cookie", "session=S3CR3T")),
    "cookie header": .init(options: ["-H", "Cookie: session=S3CR3T"], seen: ("Cookie", "session=S3CR3T")),
    "proxy header": .init(options: ["-H", "Proxy-Authorization: S3CR3T"], seen: ("Proxy-Authorization", "S3CR3T")),
    "user": .init(options: ["-u", "me:S3CR3T"], seen: ("Authorization", "Basic bWU6UzNDUjNU")),
    "user info": .init(userInfo: "me:S3CR3T@", seen: ("Authorization", "Basic bWU6UzNDUjNU")),
    "referer": .init(options: ["-e", "http://a/?S3CR3T"], seen: ("Referer", "http://a/?S3CR3T")),
    "query": .init(query: "?token=S3CR3T"),
    "netrc": .init(),
  ]

  /// The other origin: another host at the same server, or another port of the same host.
  @Test(.row("H04", "H05"), arguments: secrets.keys.sorted(), ["host", "port", "both"])
  func staysAtItsOrigin(kind: String, other: String) throws {
    let secret = try #require(Self.secrets[kind])
    let second = try ScriptedServer(.file(.ten))
    let trial = try Trial(.ten) { request in
      guard request.path == "/file.bin" else { return .file(.ten) }
      let own = request.headers["Host"].map { String($0.drop { $0 != ":" }) } ?? ""
      let (host, port) = (other == "port" ? "127.0.0.1" : "localhost", other == "host" ? own : ":\(second.port)")
      return .redirect(to: "http://\(host)\(port)/moved.bin")
    }
    try trial.folder.makeFolder("home")
    try trial.folder.write(
      "machine 127.0.0.1 login me password S3CR3T\nmachine localhost login me password S3CR3T\n", to: "home/.netrc",
      mode: 0o600)
    var command = trial.command(
      ["-v"] + secret.options,
      url: "http://\(secret.userInfo)127.0.0.1:\(trial.server.port)/file.bin\(secret.query)")
    command.environment = ["HOME": trial.folder.path("home")]
    let result = try command.run()
    trial.folder.remove("home/.netrc")
    trial.folder.remove("home")
    try trial.expect(result, exit: 0, .file)
    let requests = (trial.server.settledLog().entries + second.settledLog().entries).map(\.request)
    let (origin, elsewhere) = (requests.filter { $0.path == "/file.bin" }, requests.filter { $0.path == "/moved.bin" })
    #expect(!origin.isEmpty && !elsewhere.isEmpty)
    for request in origin {
      if let seen = secret.seen { #expect(request.headers[seen.name] == seen.value, "\(request.headers)") }
      if kind == "netrc" { #expect(request.headers["Authorization"] == nil) }
    }
    for request in elsewhere {
      #expect(!request.target.contains("S3CR3T"))
      for field in request.headers.fields {
        #expect(!field.value.contains("S3CR3T") && !field.value.contains("UzNDUjNU"), "\(field)")
      }
      for name in ["Authorization", "Cookie", "X-Api-Key", "Referer", "Proxy-Authorization"] {
        #expect(request.headers[name] == nil, "\(name)")
      }
    }
  }

  /// A password of one host's is no other's: what was dropped on the way is wanted there.
  @Test(.row("H05")) func aLoginIsNotGivenToAnotherPort() throws {
    let second = try ScriptedServer { $0.headers["Authorization"] == nil ? .status(401) : .file(.ten) }
    let trial = try Trial(.ten, .redirect(to: second.url()))
    try trial.expect(trial.run("-u", "me:S3CR3T"), exit: 4, .nothing, says: "401", "it wants a login")
    try trial.expectCleanRerun("-u", "me:S3CR3T")
  }
}
