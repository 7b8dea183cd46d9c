import DownloadCore

/// Who says what the file is: the URL's own server, and where that fails before another one can take its place the next.
extension Pipeline {
  /// What is here was of another address than the one that answers.
  var isNewAddress: Bool { request.acceptsNewURL || sources.isMainAMirror || refuted.isPartOfOther }

  /// Does something with the main source, and with the next one where that failed for the server's sake. Throws the first
  /// failure where all do.
  func withAnySource<Result>(_ body: () throws(DownloadError) -> Result) throws(DownloadError) -> Result {
    var first: DownloadError?
    while true {
      do throws(DownloadError) { return try body() } catch {
        let main = sources.main
        guard canPass(error) else { throw first ?? error }
        guard sources.passOn(error.cause) else {
          if let first { throw nameLast(error, after: first) }
          throw error
        }
        pool.stopAll()
        first = first ?? error
        let next = sources.main.url.redacted
        onEvent(.warning("\(name(main))\(main.url.redacted): \(error.cause); going on with mirror \(next)"))
      }
    }
  }

  /// The failure that counts is the first one's: what the last source said is a warning like that of any other.
  private func nameLast(_ error: DownloadError, after first: DownloadError) -> DownloadError {
    let last = sources.main
    last.standing = .dropped(error.cause)
    onEvent(.warning("\(name(last))\(last.url.redacted): \(error.cause); no other source is left"))
    return first
  }

  private func name(_ source: Source) -> String { source === sources.all[0] ? "" : "mirror " }

  /// Whether another source may do better. That one has another file ends it for a mirror alone, unless it is known what
  /// the file is.
  private func canPass(_ error: DownloadError) -> Bool {
    switch error.failure {
    case .network, .refused, .tls: true
    case .remoteChanged: sources.isMainAMirror || request.knownLength != nil
    default: false
    }
  }
}

extension Probe.Answer {
  /// Only the URL's own server may name the file.
  func from(_ sources: SourceList) -> Probe.Answer {
    guard sources.isMainAMirror else { return self }
    var answer = self
    answer.resource.contentDisposition = nil
    return answer
  }
}
