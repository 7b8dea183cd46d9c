import TestSupport
import Testing

/// A trial with further servers that have the file, or say so.
struct Mirrors {
  let trial: Trial
  let servers: [ScriptedServer]

  /// Bytes a second of each server, where several are to be at work: some rounds pass while it lasts.
  static let rate = 4_000_000.0
  /// So long that sharing it is worth it.
  static let content = Content.pattern(length: 8_000_001)

  /// `primary` answers what the URL names, each of `others` one mirror.
  init(
    of content: Content = Mirrors.content, primary: @escaping ScriptedServer.Script = { _ in .file(Mirrors.content) },
    _ others: [ScriptedServer.Script]
  ) throws {
    var settings = ScriptedServer.Settings()
    settings.totalRate = Self.rate
    trial = try Trial(content, settings: settings, script: primary)
    servers = try others.map { try ScriptedServer(settings: settings, script: $0) }
  }

  /// Serves the file as another server does: with an ETag of its own.
  static func healthy(_ name: String, _ content: Content = Mirrors.content) -> ScriptedServer.Script {
    { _ in .file(content) { $0.etag = "\"\(name)\"" } }
  }

  var options: [String] { servers.flatMap { ["--mirror", $0.url()] } }

  func run(_ options: String..., url: String? = nil, timeout: Duration = .seconds(60)) throws -> CommandResult {
    let result = try trial.command(self.options + options, url: url).run(timeout: timeout)
    for server in [trial.server] + servers { _ = server.settledLog() }
    return result
  }

  /// What `--json` says of each source, the URL's first.
  static func sources(_ result: CommandResult) throws -> [ParsedJSON] {
    try ParsedJSON(parsing: result.output)["sources"].array ?? []
  }

  /// How often a result's standard error names a mirror, or the URL, as left out.
  static func dropped(_ url: String, in result: CommandResult) -> Int {
    result.error.split(separator: "\n").count {
      $0.contains("warning: ") && $0.contains(url) && $0.contains("going on")
    }
  }

  /// The file with one byte changed where no sample is likely to look: between the blocks.
  static func changed(at offset: Int) throws -> Content {
    var bytes = try content.bytes(in: 0..<content.length)
    bytes[offset] ^= 1
    return .bytes(bytes)
  }
}
