/// A file and the way it is served. As made, it is served as a healthy server would; each property is one way to
/// differ from that.
package struct FileReply: Sendable {
  /// Which If-Range fields (RFC 9110, section 13.1.5) count.
  package enum IfRange: Sendable {
    /// ETags and dates.
    case honoured
    /// Dates alone: an ETag is answered with the whole file.
    case dateOnly
    /// None: the range is answered whatever the field says.
    case ignored
  }

  /// The length that an answer to HEAD gives.
  package enum HeadLength: Sendable {
    case same
    case missing
    case other(Int64)
  }

  /// What is served.
  package var content: Content

  // MARK: Fields of the head

  /// ETag, with its quotes and perhaps `W/`; nil for none.
  package var etag: String?
  /// Last-Modified; nil for none.
  package var lastModified: String? = "Wed, 01 Jan 2025 00:00:00 GMT"
  /// Accept-Ranges; nil for none.
  package var acceptRanges: String? = "bytes"
  /// Content-Disposition; nil for none.
  package var contentDisposition: String?
  /// Fields sent beside the usual ones.
  package var headers: HTTPFields = [:]
  /// Content-Range for a range and the whole length, nil for no such field. Unset: the right one.
  package var contentRange: (@Sendable (Range<Int64>, Int64) -> String?)?
  /// Each a Content-Length field; empty for none. Unset: the right one.
  package var contentLengths: [String]?
  /// The length that HEAD gives.
  package var headLength: HeadLength = .same

  // MARK: Ranges

  /// Whether Range has an effect.
  package var honoursRange = true
  /// Which If-Range fields have an effect.
  package var ifRange: IfRange = .honoured
  /// The most bytes that one 206 holds; the rest of the range is left out, and Content-Range says so.
  package var sliceLimit: Int64?

  // MARK: The body

  /// The body is read this many bytes further on in the file than the head says.
  package var bodyShift: Int64 = 0
  /// Bytes sent after the body, beyond what the head says.
  package var extraBytes: [UInt8] = []
  /// The body ends after this many bytes, and the connection is closed.
  package var cutAfter: Int64?
  /// The connection is reset after this many bytes of the body.
  package var resetAfter: Int64?
  /// Nothing more comes after this many bytes of the body.
  package var stallAfter: Int64?
  /// Holds the body back.
  package var gate: BodyGate?
  /// Sends the body in chunks, without Content-Length.
  package var isChunked = false
  /// Sends neither Content-Length nor chunks: the end of the connection ends the body.
  package var isCloseDelimited = false

  // MARK: Time

  /// How long the answer's first byte is held back.
  package var delay: Duration = .zero
  /// The head comes one byte at a time, this many in a second.
  package var headBytesPerSecond: Double?
  /// Bytes of bodies in a second, over all requests of the connection; instead of the server's `rate`.
  package var rate: Double?

  /// Serves `content` as a healthy server would.
  package init(_ content: Content) {
    self.content = content
    etag = content.etag
  }
}
