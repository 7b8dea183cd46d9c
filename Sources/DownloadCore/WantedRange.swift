/// The part of a file that is wanted, as it was typed: which bytes that are is known once the file's length is.
package enum WantedRange: Hashable, Sendable {
  /// Not empty; to the file's end where that of the range is `unknownEnd`.
  case bytes(ByteRange)
  /// So many bytes at the file's end, at least 1.
  case last(Int64)

  /// Why a text is no range.
  package enum Problem: Error, Hashable, Sendable {
    /// Not `A-B`, `A-` or `-N` in decimal digits.
    case malformed
    /// It ends before it begins.
    case backwards
    /// It holds no byte.
    case empty
    /// It begins or ends where no file has bytes.
    case tooLarge
  }

  /// Reads `A-B`, with both ends included as HTTP has it, `A-` or `-N` (RFC 9110, section 14.1.2).
  package init(typed text: String) throws(Problem) {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard ends.count == 2, ends.contains(where: { !$0.isEmpty }), ends.allSatisfy({ $0.isEmpty || $0.isDigits }) else {
      throw .malformed
    }
    guard !ends[0].isEmpty else {
      let count = try Self.number(ends[1])
      guard count > 0 else { throw .empty }
      self = .last(count)
      return
    }
    let start = try Self.number(ends[0])
    guard !ends[1].isEmpty else {
      self = .bytes(ByteRange(start, unknownEnd))
      return
    }
    let last = try Self.number(ends[1])
    guard start <= last else { throw .backwards }
    self = .bytes(ByteRange(start, last + 1))
  }

  private static func number(_ digits: String) throws(Problem) -> Int64 {
    guard let number = Int64(digits), number < Manifest.mostLength else { throw .tooLarge }
    return number
  }

  /// The bytes in a file of `length` bytes; nil where the file does not have all that is wanted.
  package func range(in length: Int64) -> ByteRange? {
    switch self {
    case .bytes(let range):
      let end = range.end == unknownEnd ? length : range.end
      return range.start < end && end <= length ? ByteRange(range.start, end) : nil
    case .last(let count): return count <= length ? ByteRange(length - count, length) : nil
    }
  }

  /// What can be asked for before the length is known, open where that decides about the end; nil: nothing.
  package var beforeLength: ByteRange? {
    if case .bytes(let range) = self { range } else { nil }
  }
}

extension WantedRange: CustomStringConvertible {
  /// As it is typed.
  package var description: String {
    switch self {
    case .bytes(let range): range.inclusiveText
    case .last(let count): "-\(count)"
    }
  }
}

extension DownloadRequest {
  /// The bytes of a file of `length` bytes that are wanted; nil: all of it.
  ///
  /// Throws `refused` where the file does not have them, or nothing tells that it does.
  package func wantedRange(in length: Int64?, of url: RemoteURL) throws(DownloadError) -> ByteRange? {
    guard let range else { return nil }
    guard let length else { throw .rangeWithoutLength(url) }
    guard let wanted = range.range(in: length) else { throw .rangeOutside(url, range, length: length) }
    return wanted
  }

  /// Throws `local` for more than was allowed, and `refused` where the file does not have what is wanted of it.
  package func checkSize(of resource: Resource) throws(DownloadError) {
    guard let wanted = try wantedRange(in: resource.length, of: resource.url) else {
      return try checkSize(resource.length, of: resource.url)
    }
    guard resource.length ?? 0 <= Manifest.mostLength else { throw .tooLarge(resource.url) }
    try checkSize(wanted.count, of: resource.url)
  }

  /// Where in an existing file the bytes go; nil: into a file of their own.
  package var place: ByteRange? {
    guard let outputOffset, let range = range?.beforeLength, range.end != unknownEnd else { return nil }
    return ByteRange(outputOffset, outputOffset + range.count)
  }

  /// What can be asked for before anything is known of the file: all of it, or of what is wanted as much as that tells.
  package var firstGap: ByteRange { range?.beforeLength ?? ByteRange(0, unknownEnd) }

  /// The name that manifest and messages have for what is fetched as the file `name`: a part that is put in its place
  /// has a manifest of its own, `NAME.A-B.part.json`.
  package func stem(of name: String) -> String {
    guard outputOffset != nil, let range else { return name }
    return "\(name).\(range)"
  }
}
