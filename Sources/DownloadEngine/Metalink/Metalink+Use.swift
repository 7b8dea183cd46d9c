package import DownloadCore

extension Metalink.File {
  /// Its addresses that may be asked, the best first and each once, and those that may not. `base`: where the metalink
  /// came from; nil: from a file, which has no relative addresses.
  package func mirrors(from base: RemoteURL?) -> (usable: [Mirror], others: [String]) {
    var (usable, others): ([Mirror], [String]) = ([], [])
    for source in sources {
      guard let url = URLParser.linked(source.address, from: base) else {
        others.append(source.address)
        continue
      }
      if !usable.contains(where: { $0.url == url }) {
        usable.append(Mirror(url: url, priority: source.priority, isTyped: false))
      }
    }
    return (usable, others)
  }

  /// The digest that proves most of those that this machine's OpenSSL offers; nil where there is none.
  package var proof: Digest? { strongestDigest(offered: MessageDigest.isOffered) }

  /// The same of its pieces.
  package var provedPieces: PieceDigests? { strongestPieces(offered: MessageDigest.isOffered) }
}

extension DownloadRequest {
  /// Demands what a metalink tells of the file: its size, its digest and those of its pieces. `source` is the metalink, as
  /// it may be shown.
  ///
  /// Throws `digestMismatch` where a digest that was typed is not the one that the metalink has.
  package mutating func demand(
    _ file: Metalink.File, of source: String, isAuthenticated: Bool
  ) throws(DownloadError) {
    for typed in digests {
      guard let other = file.digests.first(where: { $0.algorithm == typed.algorithm }), other != typed else { continue }
      throw .contradiction(of: file.name, in: source, other, typed: typed)
    }
    let isProvedOtherwise = !digests.isEmpty
    if let proof = file.proof, !digests.contains(proof) { digests.append(proof) }
    knownLength = file.size
    pieces = file.provedPieces
    digestsAreUnauthenticated = !isAuthenticated && !isProvedOtherwise && (!digests.isEmpty || pieces != nil)
  }
}
