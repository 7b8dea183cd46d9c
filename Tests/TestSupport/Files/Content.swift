internal import Glibc

/// The bytes of a file that a test serves, writes or compares with: any length, without holding it in memory.
package struct Content: Sendable {
  private enum Storage: Sendable {
    case pattern(PatternBlock)
    case bytes([UInt8])
    case file(OpenFile)
  }

  /// The number of bytes.
  package let length: Int64
  /// A strong ETag, quotes included, that differs between contents.
  package let etag: String
  private let storage: Storage

  /// Bytes made from a seed. They repeat after a prime number of bytes a little above 1 MiB, so that a piece
  /// at the wrong offset never looks right; other seeds give other bytes throughout.
  package static func pattern(length: Int64, seed: UInt64 = 1) -> Content {
    Content(
      length: length, etag: "\"pattern-\(seed)-\(length)\"", storage: .pattern(PatternBlock(seed: seed)))
  }

  /// Just these bytes.
  package static func bytes(_ bytes: [UInt8]) -> Content {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Content(
      length: Int64(bytes.count), etag: "\"bytes-\(String(hash, radix: 16))\"", storage: .bytes(bytes))
  }

  /// The UTF-8 bytes of a text.
  package static func text(_ text: String) -> Content {
    .bytes(Array(text.utf8))
  }

  /// The bytes of a file on disk, which must not change while they are served.
  package static func file(_ path: String) throws -> Content {
    let file = try OpenFile(path: path)
    let length = try file.length()
    return Content(length: length, etag: "\"file-\(String(length, radix: 16))\"", storage: .file(file))
  }

  /// The descriptor to send from, if the content is a file.
  var descriptor: Int32? {
    guard case .file(let file) = storage else { return nil }
    return file.descriptor
  }

  /// Gives `body` between 1 and `count` bytes at `offset`, which must lie within the content.
  package func withPiece<Result>(
    at offset: Int64, upTo count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    precondition(offset >= 0 && offset < length && count > 0, "no byte of the content at \(offset)")
    let wanted = Int(min(Int64(count), length - offset))
    switch storage {
    case .pattern(let block):
      return try body(block.piece(at: offset, upTo: wanted))
    case .bytes(let bytes):
      return try bytes.withUnsafeBytes { try body(.init(rebasing: $0[Int(offset)..<Int(offset) + wanted])) }
    case .file(let file):
      return try file.withPiece(at: offset, upTo: wanted, body)
    }
  }

  /// The bytes of a range, half-open, cut at the end of the content.
  package func bytes(in range: Range<Int64>) throws -> [UInt8] {
    var result: [UInt8] = []
    var offset = range.lowerBound
    let end = min(range.upperBound, length)
    while offset < end {
      try withPiece(at: offset, upTo: Int(min(end - offset, 1 << 20))) { result.append(contentsOf: $0) }
      offset = range.lowerBound + Int64(result.count)
    }
    return result
  }
}
