package import DownloadCore

/// Digests of files that are here already.
package enum FileDigests {
  /// Reads a file once and computes several digests of it. `onProgress` gets the bytes read and the file's length.
  package static func compute(
    of path: String, _ algorithms: [DigestAlgorithm], onProgress: (Int64, Int64) -> Void
  ) throws(DownloadError) -> [Digest] { throw DownloadError(.unforeseen, "not built") }
}
