/// Failures that metalinks and the pieces in them bring.
extension DownloadError {
  /// What was read is no metalink that can be used; `source` is its path or its address as it may be shown. `isRemote`: a
  /// server sent it.
  package static func metalink(_ source: String, _ problem: MetalinkProblem, isRemote: Bool) -> DownloadError {
    DownloadError(isRemote ? .refused : .usage, "the metalink \(source) \(problem.clause)")
  }

  /// A file of a metalink that cannot be fetched; `name` is as it stands there, `why` one clause.
  package static func metalinkFile(
    _ source: String, _ name: String, _ why: String, isRemote: Bool
  ) -> DownloadError {
    DownloadError(
      isRemote ? .refused : .usage, "'\(Sanitiser.line(name))' of the metalink \(source) is not fetched: \(why)")
  }

  /// A digest that was typed is not the one that a metalink has; both are of one algorithm.
  package static func contradiction(
    of name: String, in source: String, _ digest: Digest, typed: Digest
  ) -> DownloadError {
    DownloadError(
      .digestMismatch,
      "the \(typed.algorithm.rawValue) of '\(Sanitiser.line(name))' is \(digest.hex) in the metalink \(source), and "
        + "\(typed.hex) was given: nothing was fetched")
  }

  /// The file at `url` is not as long as it is known to be, both in bytes.
  package static func otherLength(_ url: RemoteURL, _ length: Int64, expected: Int64) -> DownloadError {
    DownloadError(
      .remoteChanged,
      "could not fetch \(url.redacted): it is \(length) bytes long, and the file that is wanted has \(expected); it is "
        + "another file, or another version of it")
  }

  /// A piece that stays wrong; `sources` brought it, as they may be shown, and `part` has all the rest, if
  /// there is any.
  package static func wrongPiece(
    _ comparison: PieceLedger.Comparison, of sources: String, tries: Int, part: String?
  ) -> DownloadError {
    let rest = part.map { "; the rest is in \($0); run the same command again later to fetch that piece once more" }
    return DownloadError(
      .digestMismatch,
      "\(comparison.range) from \(sources) do not match the \(comparison.digest.algorithm.rawValue) of piece "
        + "\(comparison.piece + 1) in the metalink, after \(times(tries))\(rest ?? "")")
  }
}
