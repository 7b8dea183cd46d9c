internal import DownloadCore
internal import DownloadEngine

/// The list that `--checksum-file` names.
struct ChecksumList {
  let file: ChecksumFile
  /// Its path or address, as it may be shown.
  let shown: String
  /// Whoever changed what is on its way to us could have changed the list as well.
  let isUnauthenticated: Bool

  /// Where it is.
  enum Source {
    case here(ChecksumList)
    /// The digests are those that the list itself must have.
    case remote(RemoteURL, [Digest])

    /// Reads the list where that needs no network; nil where there is none.
    init?(_ arguments: Arguments) throws(DownloadError) {
      guard let typed = arguments.checksumFile else { return nil }
      guard !typed.contains("://") else {
        let url = try URLParser.parse(typed: typed, allowing: .all)
        try arguments.checkFamily(of: url)
        self = .remote(url, try Number.digests(inFragmentOf: url))
        return
      }
      let bytes = try FileLook.bytes(of: typed, for: "--checksum-file")
      self = .here(try ChecksumList(bytes, source: typed, shown: typed, isUnauthenticated: false))
    }

    /// The list, fetched where it must be. `files` are the downloads that it is for.
    func list(
      for files: [DownloadRequest], _ arguments: Arguments, signals: SignalSource, limiter: RateLimiter?,
      onEvent: @escaping (DownloadEvent) -> Void
    ) throws(DownloadError) -> ChecksumList {
      switch self {
      case .here(let list): return list
      case .remote(let url, let digests):
        var job = try DownloadRequest(checksumFile: url, for: files, otherwise: arguments.httpWithNetrc())
        job.digests = digests
        job.timeouts = arguments.timeouts
        job.rateLimit = arguments.rateLimit
        let bytes = try DocumentFetch(.checksums, job, signals: signals, limiter: limiter, onEvent: onEvent).run()
        return try ChecksumList(
          bytes, source: url.path, shown: url.redacted,
          isUnauthenticated: url.isOpenToAll && !digests.contains(where: \.algorithm.resistsAttacks))
      }
    }
  }

  private init(_ bytes: [UInt8], source: String, shown: String, isUnauthenticated: Bool) throws(DownloadError) {
    do {
      file = try ChecksumFile(bytes, source: source)
    } catch {
      throw .checksumFile(shown, error)
    }
    self.shown = shown
    self.isUnauthenticated = isUnauthenticated
  }

  /// The digests of the file that goes by these names, one of `count` files.
  /// `advice`: what to do where it is not listed.
  func digests(of names: [String], amongFiles count: Int, advice: String = "") throws(DownloadError) -> [Digest] {
    do throws(ChecksumFile.Problem) {
      guard file.bare == nil || count == 1 else { throw ChecksumFile.Problem.bareDigest }
      return try file.digests(of: names)
    } catch {
      throw .checksumFile(shown, error, advice: advice)
    }
  }

  /// The request, with the digests that the list has for its file: under the name that was typed, else the URL's.
  func demanding(_ request: DownloadRequest, amongFiles count: Int) throws(DownloadError) -> DownloadRequest {
    var request = request
    let names = [request.target.name, FileName.fromURLPath(request.url.lastPathPart)].compactMap(\.self)
    let advice = "; if the server names the file otherwise, give the name in the list with -o"
    let found = try digests(
      of: names.isEmpty ? [FileName.fallback] : names, amongFiles: count, advice: count == 1 ? advice : "")
    request.digestsAreUnauthenticated = isUnauthenticated && request.digests.isEmpty
    for digest in found { try request.digests.demand(digest) }
    return request
  }
}
