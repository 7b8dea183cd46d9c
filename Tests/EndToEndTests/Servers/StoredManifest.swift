import FoundationEssentials
import TestSupport
import Testing

/// The manifest as it is on disk, read without any of the code under test.
struct StoredManifest: Codable {
  struct Segment: Codable {
    var start: Int64
    var end: Int64
    var crc32: String

    var range: Range<Int64> { start..<end }
  }

  struct Part: Codable {
    var device: UInt64
    var inode: UInt64
    var modified: String
  }

  var version = 1
  var url: String
  var length: Int64?
  var etag: String?
  var lastModified: String?
  var segments: [Segment] = []
  var digests: [String: String] = [:]
  var computed: [String: String] = [:]
  var part: Part?
  var boot: String?
  var checksum: String?

  init(url: String) { self.url = url }

  init(_ bytes: [UInt8]) throws {
    self = try JSONDecoder().decode(StoredManifest.self, from: Data(bytes))
  }

  /// As it is to be written.
  var text: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }

  /// How many bytes are claimed to be here.
  var done: Int64 { segments.reduce(0) { $0 + $1.end - $1.start } }

  /// Every claim is checked: order, bounds, the part's bytes and the checksum.
  func expectHonest(
    _ folder: TemporaryFolder, _ part: String, _ content: Content, _ location: SourceLocation
  ) throws {
    let file = try Content.file(folder.path(part))
    var end: Int64 = 0
    for segment in segments {
      guard segment.start >= end, segment.end > segment.start, segment.end <= min(file.length, content.length) else {
        Issue.record("a claim that cannot be: \(segment.range) of \(content.length)", sourceLocation: location)
        return
      }
      end = segment.end
      let difference = try file.firstDifference(from: content, in: segment.range)
      #expect(difference == nil, "\(segment.range) differs at \(difference ?? 0)", sourceLocation: location)
      let right = try content.crc32(of: segment.range)
      #expect(segment.crc32 == right, "\(segment.range)", sourceLocation: location)
    }
  }
}

extension Content {
  /// The CRC-32 of a range, as eight hexadecimal digits; not by the library that is under test.
  func crc32(of range: Range<Int64>) throws -> String {
    var crc: UInt32 = ~0
    var offset = range.lowerBound
    while offset < range.upperBound {
      try withPiece(at: offset, upTo: Int(min(range.upperBound - offset, 256 << 10))) { piece in
        crc = Self.crc32(crc, piece)
        offset += Int64(piece.count)
      }
    }
    let digits = String(~crc, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
  }

  private static func crc32(_ start: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      var crc = start
      var index = 0
      while index < bytes.count {
        crc = table[Int((crc ^ UInt32(bytes[index])) & 0xFF)] ^ (crc >> 8)
        index += 1
      }
      return crc
    }
  }
}
