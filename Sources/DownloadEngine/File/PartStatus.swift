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

  /// Reads the manifest beside `NAME.part` (given with or without `.part.json`); fails with `manifestUnusable` where
  /// there is none or it cannot be used.
  package static func read(part path: String) throws(DownloadError) -> PartStatus {
    throw DownloadError(.manifestUnusable, "not built")
  }
}
