/// What a server says of the file: its place, version, length and how it may be asked for.
package struct Resource: Hashable, Sendable {
  /// Where the redirects led.
  package var url: RemoteURL
  /// What tells this version of the file from another.
  package var validator: Validator
  /// False where the server said `Accept-Ranges: none`, or an answer proved it.
  package var offersRanges: Bool
  /// As the server sent it, not yet made safe.
  package var contentDisposition: String?
  /// The server calls it something else than a web page.
  package var isNoPage = false
  /// What is sent of it is a content coding, not the file (RFC 9110, section 8.4).
  package var isEncoded = false
  /// When the file changed, where the server said so.
  package var lastModified: HTTPDate?
  /// The digests that the answer announces of the file.
  package var announced = AnnouncedDigests()

  /// The whole file's length in bytes, once it is known.
  package var length: Int64? { validator.length }

  /// A resource of which no head tells more.
  package init(url: RemoteURL, validator: Validator, offersRanges: Bool = true) {
    self.url = url
    self.validator = validator
    self.offersRanges = offersRanges
  }

  /// `length` as the answer's kind gives it: of a 206 the Content-Range's, of a 200 the Content-Length.
  package init(url: RemoteURL, head: ResponseHead, length: Int64?) {
    self.init(
      url: url, validator: Validator(head: head, length: length),
      offersRanges: head.acceptsRanges != false && !head.isContentEncoded)
    contentDisposition = head.contentDisposition
    lastModified = head.lastModified
    isEncoded = head.isContentEncoded
    isNoPage = head.first("Content-Type") != nil && !head.isPage
    announced = AnnouncedDigests(head: head, isWhole: false)
  }

  /// Whether a part can be asked for: its length must be known, and ranges not refused.
  package var canBeSplit: Bool { offersRanges && (length ?? 0) > 0 }
}
