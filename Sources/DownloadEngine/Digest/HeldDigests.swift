import DownloadCore

/// Digests of the same bytes, held where a closure can reach them.
final class HeldDigests {
  private var digests: MessageDigests?

  /// Throws `usage` where this OpenSSL does not offer one of the algorithms.
  init(_ algorithms: [DigestAlgorithm]) throws(DownloadError) { digests = try MessageDigests(algorithms) }

  func update(_ bytes: UnsafeRawBufferPointer) { digests?.update(bytes) }

  /// In the order of the algorithms; none where this was asked before.
  func finish() -> [Digest] { digests.take()?.finish() ?? [] }
}
