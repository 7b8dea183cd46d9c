import DownloadCore

/// What is said where no HTTP is: by an FTP server in its replies, or of a file by the system. It is put into the head
/// that an HTTP server would send, and that is judged like any other.
struct PlainTalk {
  private enum Peer {
    case server
    case file(SourceFile)
    /// It cannot be had: libcurl is kept from asking.
    case nobody
  }

  private let peer: Peer
  /// What the user's range is, where the peer was asked for one.
  private let asked: ByteRange?
  private let isFirst: Bool
  private var reply: FTPReply?
  private var byteCount = 0
  /// An HTTP proxy answers: it speaks HTTP, whatever it speaks to the server.
  private(set) var isLeftToHTTP = false

  /// libcurl reads a file to the end of what was asked for before it does anything else: it is asked for pieces of this
  /// many bytes at most. A probe's is kept in memory.
  static let mostOfFile: Int64 = 4 << 20

  /// Nil for http and https.
  init?(_ request: TransferRequest) throws(DownloadError) {
    guard !request.url.isWeb else { return nil }
    peer = request.url.isFTP ? .server : .file(try SourceFile(request.url))
    asked = Self.asked(by: request)
    isFirst = request.isProbe && request.url.isFTP
  }

  private init() {
    (peer, asked, isFirst) = (.nobody, nil, false)
  }

  /// For a request that does not go out.
  static let nobody = PlainTalk()

  private static func asked(by request: TransferRequest) -> ByteRange? {
    guard let range = request.range, request.url.isFile else { return request.range }
    return ByteRange(range.start, min(range.end, range.start + request.mostOfFile))
  }

  /// The range as libcurl wants it. An FTP server is told where to begin, and its data connection is closed where
  /// enough has come: where libcurl knows the end, it waits for the server's word on it, and everything else does too.
  static func rangeText(_ request: TransferRequest) -> String? {
    guard let range = asked(by: request) else { return nil }
    guard request.url.isFTP else { return range.inclusiveText }
    return range.start == 0 ? nil : "\(range.start)-"
  }

  /// Takes a line of the server's. The head where the file's bytes are to come now.
  mutating func add(
    line: UnsafeRawBufferPointer, _ told: () -> PlainFile
  ) throws(MalformedHead) -> ResponseHead? {
    byteCount += line.count
    guard byteCount <= ResponseHeadParser.limit else { throw .tooLarge }
    guard case .server = peer else { return nil }
    if reply == nil, line.starts(with: "HTTP/".utf8) { isLeftToHTTP = true }
    guard !isLeftToHTTP, let reply = FTPReply(line) else { return nil }
    guard reply.isSound else { throw .malformed("a size or date that is no number: \(Sanitiser.line(reply.text))") }
    self.reply = reply
    return reply.beginsData ? head(told()) : nil
  }

  /// The head of a file whose bytes come now; nil where that came before them.
  func headBeforeBody() -> ResponseHead? {
    guard case .file(let source) = peer else { return nil }
    guard let file = source.file() else { return changed }
    return head(file)
  }

  /// The head of an answer that ended without one; nil where nothing was answered.
  func head(after code: CurlCode, _ told: () -> PlainFile) -> ResponseHead? {
    switch peer {
    case .nobody: return nil
    case .file(let source):
      guard code.isOK || code.isBeyondEnd else { return nil }
      return source.file().map(head) ?? changed
    case .server:
      guard !isLeftToHTTP else { return nil }
      // No REST, and so no range: what there is comes whole.
      if code.isRefusedRestart, reply?.status.isTransient != true { return ResponseHead(told(), asked: nil) }
      if code.isOK || code.isBeyondEnd { return head(told()) }
      guard let reply, reply.code >= 400, code.isRefusalByReply || reply.status == .noService else { return nil }
      return ResponseHead(status: reply.status, reason: reply.text)
    }
  }

  private func head(_ file: PlainFile) -> ResponseHead {
    var head = ResponseHead(file, asked: asked, isFirst: isFirst)
    head.reason = reply?.text ?? ""
    return head
  }

  /// Another try will see what it is now.
  private var changed: ResponseHead { ResponseHead(status: .serviceUnavailable, reason: "it changes") }
}
