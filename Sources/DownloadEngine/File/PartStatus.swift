package import DownloadCore

/// What a manifest says of a partial file.
package struct PartStatus: Sendable {
  /// The URL as the manifest keeps it: without secrets.
  package var url: String
  /// Whether parameters that looked secret were left out of the URL.
  package var urlIsIncomplete: Bool
  /// The whole file's length; nil where the server did not tell.
  package var length: Int64?
  /// Completed bytes.
  package var done: Int64
  /// What is not here yet, ascending.
  package var missing: [ByteRange]
  /// The digests that the file must have.
  package var digests: [Digest]

  /// Reads the manifest beside the partial file of `name`, the finished file's; fails with `manifestUnusable` where
  /// there is none or it cannot be used.
  package static func read(folder path: String, name: String) throws(DownloadError) -> PartStatus {
    let folder: Folder
    do throws(DownloadError) { folder = try Folder.open(path, creating: false) } catch {
      throw DownloadError(.manifestUnusable, error.message)
    }
    switch try ManifestFile(folder: folder, name: name).load() {
    case .success(let manifest)?: return PartStatus(manifest)
    case .failure(.malformed(let what))?:
      throw .badManifest(part: folder.shown(name + PartFile.suffix), what)
    default:
      throw .noManifest(folder.shown(name + ManifestFile.suffix))
    }
  }

  private init(_ manifest: Manifest) {
    let ledger = manifest.ledger(combine: CRC32.combine)
    url = manifest.url
    urlIsIncomplete = manifest.urlIncomplete ?? false
    length = manifest.length
    done = ledger.done
    missing = manifest.length.map { ledger.covered.gaps(in: ByteRange(0, $0)).ranges } ?? []
    digests = manifest.demandedDigests
  }
}
