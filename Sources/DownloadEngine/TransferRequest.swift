import DownloadCore

/// One request to a server.
struct TransferRequest {
  enum Method: Hashable {
    case head, get
  }

  var method = Method.get
  /// The first question: where the body goes is not known yet.
  var isProbe = false
  var url: RemoteURL
  /// A range of a file of which nothing is known: where it is refused, it is as if nobody had asked.
  var isGuess = false
  /// HEAD, or another answer, may still tell the whole file's length.
  var awaitsLength = false
  /// The bytes to ask for; nil: no Range header. An end of `unknownEnd` leaves the range open.
  var range: ByteRange?
  /// Bytes that are wanted of the body, whether they were asked for by a Range or come in a stream of the whole.
  var wanted: ByteRange
  /// Anything but a part is refused, a whole body too.
  var takesPartsOnly = false
  /// The value for If-Range; nil: none.
  var ifRange: String?
  /// Of the version that is being fetched; nil for the first answer ever.
  var validator: Validator?
  /// Bytes of that version are here, or an answer has shown that GETs name it.
  var isBinding = false
  var length: Int64?
  /// The file is known to be no web page.
  var refusesPages = false
  /// What is here of the file is a content coding.
  var isEncoded: Bool?
  /// Nor is it empty.
  var refusesEmpty = false
  /// So much of the body may wait in memory until it is known where it goes, in bytes; nil: the usual.
  var mostKept: Int?
  /// Nobody knows yet whether what comes is the file's: it waits in memory until a writer is given.
  var awaitsTrust = false
  /// A file of this machine is read in pieces of at most so many bytes.
  var mostOfFile = PlainTalk.mostOfFile
  /// Where in `wanted` bytes are here already: they are not written again.
  var present: [ByteRange] = []

  var expectation: ResponseCheck.Expectation {
    ResponseCheck.Expectation(
      asked: range, validator: validator, sentIfRange: ifRange != nil, length: length,
      awaitsLength: awaitsLength, isBinding: isBinding, refusesPages: refusesPages, refusesEmpty: refusesEmpty,
      isEncoded: isEncoded)
  }

  /// As libcurl wants it.
  var rangeText: String? { range?.inclusiveText }
}

extension TransferRequest {
  /// The answer must be of this.
  mutating func expect(_ resource: Resource) {
    validator = resource.validator
    length = resource.length
    isBinding = true
    refusesPages = resource.isNoPage
    isEncoded = resource.isEncoded
  }
}
