import TestSupport
import Testing

/// Metalinks as servers write them.
enum MetalinkText {
  /// Of each piece, in bytes.
  static let pieceLength: Int64 = 100_000

  static func document(_ files: String...) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <metalink xmlns="urn:ietf:params:xml:ns:metalink"><published>2026-11-30T00:00:00Z</published>
    \(files.joined(separator: "\n"))
    </metalink>

    """
  }

  /// An entry that tells all; `size` nil: the right one; `digest` nil: the right one.
  static func file(
    _ name: String, _ content: Content, _ urls: [String], size: Int64? = nil, digest: String? = nil,
    hasPieces: Bool = true
  ) throws -> String {
    let sha256 = try digest ?? DigestTests.digest("sha256", of: content)
    let addresses = urls.map { $0.hasPrefix("<") ? $0 : "<url>\($0)</url>" }
    return """
      <file name="\(name)"><size>\(size ?? content.length)</size><hash type="sha-256">\(sha256)</hash>
      \(hasPieces ? try pieces(of: content) : "")\(addresses.joined())</file>
      """
  }

  private static func pieces(of content: Content) throws -> String {
    let folder = try TemporaryFolder()
    var names: [String] = []
    for start in stride(from: 0, to: content.length, by: Int(pieceLength)) {
      let bytes = try content.bytes(in: start..<min(start + pieceLength, content.length))
      try folder.write(.bytes(bytes), to: "\(names.count)")
      names.append(folder.path("\(names.count)"))
    }
    let output = try CommandRunner("openssl", ["dgst", "-r", "-sha1"] + names).run().output
    let digests = output.split(separator: "\n").map { "<hash>\($0.prefix { $0 != " " })</hash>" }
    #expect(digests.count == names.count)
    return "<pieces length=\"\(pieceLength)\" type=\"sha-1\">\(digests.joined())</pieces>"
  }
}

extension Trial {
  /// Runs the command with a metalink that is here.
  func runMetalink(_ text: String, _ options: String...) throws -> CommandResult {
    let beside = try TemporaryFolder()
    try beside.write(text, to: "list.meta4")
    let result = try command(options, url: beside.path("list.meta4")).run()
    _ = server.settledLog()
    return result
  }

  /// The paths that were asked for, each once, in order.
  var askedPaths: [String] {
    server.settledLog().entries.reduce(into: []) { paths, entry in
      if !paths.contains(entry.request.path) { paths.append(entry.request.path) }
    }
  }
}
