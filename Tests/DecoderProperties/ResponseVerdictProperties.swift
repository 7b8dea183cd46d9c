internal import DownloadCore

/// What a judgement of a head may say.
enum ResponseVerdictProperties {
  static func check(_ head: ResponseHead, _ expected: ResponseCheck.Expectation) throws(BrokenProperty) {
    switch ResponseCheck.judge(head, expected) {
    case .partial(let range, let total): try checkPartial(range, total: total, head, expected)
    case .whole(let length): try checkWhole(length, head, expected)
    case .changed(let text), .rangeIgnored(let text), .wrongRange(let text), .malformed(let text):
      try require(!text.isEmpty && text.unicodeScalars.count <= 300, "shown: \(text)")
      try require(!text.unicodeScalars.contains(where: \.isHidden), "shown: \(text)")
    case .unsatisfiable(let total):
      try require(head.status.rawValue == 416 && (total ?? 0) >= 0, "total \(total ?? 0)")
    case .redirect(let location):
      try require(!location.isEmpty && !location.utf8.contains(where: \.isControl), "Location \(location)")
    case .transient(let status, let seconds):
      try require(status.isTransient && 0...300 ~= seconds ?? 0, "\(seconds ?? 0) seconds")
    case .refused(let status):
      try require(status.rawValue >= 300, "refused: \(status)")
    }
  }

  private static func checkPartial(
    _ range: ByteRange, total: Int64?, _ head: ResponseHead, _ expected: ResponseCheck.Expectation
  ) throws(BrokenProperty) {
    guard let asked = expected.asked else { throw BrokenProperty("a part of what was asked for as a whole") }
    try require(head.status == .partialContent, "a part with the status \(head.status)")
    try require(range.start == asked.start && range.start < range.end && range.end <= asked.end, "\(range) of \(asked)")
    try require(range.end <= min(total ?? .max, expected.length ?? .max), "\(range) beyond the end")
    try require(expected.length == nil || (total ?? expected.length) == expected.length, "of another length")
    try require((head.contentLength.count ?? range.count) == range.count, "\(range) in another Content-Length")
    try require(!head.isContentEncoded && !head.isMultipartByteranges, "a part of something else")
    try checkVersion(head, expected)
  }

  private static func checkWhole(
    _ length: Int64?, _ head: ResponseHead, _ expected: ResponseCheck.Expectation
  ) throws(BrokenProperty) {
    try require(head.status == .ok, "the whole with the status \(head.status)")
    try require((expected.asked?.start ?? 0) == 0, "the whole at \(expected.asked?.start ?? 0)")
    try require(length ?? 0 >= 0 && (length ?? expected.length) == (expected.length ?? length), "of another length")
    try require(length == nil || head.transferCoding == .none, "a length beside a transfer coding")
    try checkVersion(head, expected)
  }

  /// Bytes are believed only of the version that was expected; where it is binding, only if the answer names it.
  private static func checkVersion(
    _ head: ResponseHead, _ expected: ResponseCheck.Expectation
  ) throws(BrokenProperty) {
    if let planned = expected.validator?.etag {
      let answered = head.etag
      try require(answered == nil || answered?.opaque == planned, "of the version \(answered?.raw ?? "")")
      try require(answered != nil || !expected.isBinding, "of no version")
    } else if let planned = expected.validator?.lastModified {
      let answered = head.lastModified
      try require(answered == nil || answered == HTTPDate(planned), "of another date")
      try require(answered != nil || !expected.isBinding, "of no date")
    }
  }
}
