package import DownloadCore
import FoundationEssentials

/// The manifest as bytes, wherever they are kept: JSON (RFC 8259).
package enum ManifestJSON {
  /// Decodes and checks a manifest. Throws `version` for another version's, which is told before anything else is read
  /// of it, and `malformed` for whatever else cannot be used.
  package static func read(_ bytes: [UInt8]) throws(ManifestProblem) -> Manifest {
    let manifest = try decode(bytes)
    try manifest.validate()
    return manifest
  }

  private static func decode(_ bytes: [UInt8]) throws(ManifestProblem) -> Manifest {
    struct Version: Decodable { var version: Int }
    let data = Data(bytes)
    do {
      let version = try JSONDecoder().decode(Version.self, from: data).version
      guard version == Manifest.currentVersion else { throw ManifestProblem.version(version) }
      var manifest = try JSONDecoder().decode(Manifest.self, from: data)
      let checksum = manifest.checksum
      manifest.checksum = nil
      // A digit that the disk has flipped makes a claim that no rule finds wrong.
      if try checksum != Self.checksum(of: encode(manifest)) { manifest.distrust() }
      return manifest
    } catch let problem as ManifestProblem {
      throw problem
    } catch {
      throw .malformed("not readable as JSON")
    }
  }

  /// One line, with its checksum; nil for texts that cannot be written.
  package static func bytes(of manifest: Manifest) -> [UInt8]? {
    var manifest = manifest
    manifest.checksum = nil
    manifest.checksum = (try? encode(manifest)).map { checksum(of: $0) }
    return (try? encode(manifest)).map { Array($0) + [UInt8(ascii: "\n")] }
  }

  private static func encode(_ manifest: Manifest) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(manifest)
  }

  private static func checksum(of json: Data) -> String {
    Manifest.StoredSegment.digits(of: json.withUnsafeBytes { CRC32.update(0, $0) })
  }
}
