import DownloadCore

/// A file that goes, in order, to a sink: nothing of it is kept.
final class SinkSession: FetchSession {
  let output: SinkWriter
  private let window: SinkWindow
  /// The memory up to here was given back: those bytes cannot be read again.
  private(set) var released: Int64 = 0

  init(_ output: SinkWriter, window: SinkWindow, request: DownloadRequest, resource: Resource) throws(DownloadError) {
    self.output = output
    self.window = window
    var manifest = Manifest(url: request.url.withoutSecrets)
    manifest.demand(of: request)
    super.init(store: window, manifest: manifest, isTrusted: true, for: request)
    try begin(resource)
    output.begin(at: start)
  }

  override var sink: SinkSession? { self }

  /// Whether bytes that are wanted cannot be read again.
  var hasReleased: Bool { released > start }

  /// Hands on the prefix up to `available`, and gives back what neither the sink nor the digests need any more: `digested`
  /// is how far these are, nil where there are none. Returns how far that is.
  func pass(_ available: Int64, digested: Int64?) throws(DownloadError) -> Int64 {
    output.advance(to: available)
    let passed = min(output.delivered, digested ?? .max)
    // Whole pages: the rest of one is wanted yet.
    let end = passed & ~(Self.pageSize - 1)
    guard end > released else { return passed }
    try window.release(ByteRange(released, end))
    released = end
    return passed
  }

  private static let pageSize: Int64 = 64 << 10
}
