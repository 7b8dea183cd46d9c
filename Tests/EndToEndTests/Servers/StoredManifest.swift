import Czlib
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
  /// The CRC-32 of a range, as eight hexadecimal digits.
  func crc32(of range: Range<Int64>) throws -> String {
    var crc: UInt = 0
    var offset = range.lowerBound
    while offset < range.upperBound {
      try withPiece(at: offset, upTo: Int(min(range.upperBound - offset, 256 << 10))) { piece in
        crc = Czlib.crc32(crc, piece.bindMemory(to: UInt8.self).baseAddress, UInt32(piece.count))
        offset += Int64(piece.count)
      }
    }
    let digits = String(crc, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
