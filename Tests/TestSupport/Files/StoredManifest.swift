internal import FoundationEssentials

/// The manifest as it is on disk, read without any of the code under test.
package struct StoredManifest: Codable, Sendable {
  /// A range that is claimed to be here, and the CRC-32 of its bytes as eight hexadecimal digits.
  package struct Segment: Codable, Sendable {
    package var start: Int64
    package var end: Int64
    package var crc32: String

    package init(start: Int64, end: Int64, crc32: String) {
      self.start = start
      self.end = end
      self.crc32 = crc32
    }

    /// The range, half-open.
    package var range: Swift.Range<Int64> { start..<end }
  }

  /// A range, half-open.
  package struct Range: Codable, Sendable {
    package var start: Int64
    package var end: Int64

    package init(start: Int64, end: Int64) {
      self.start = start
      self.end = end
    }
  }

  /// What tells the part from another file, and from itself after a change.
  package struct Part: Codable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    package var modified: String

    package init(device: UInt64, inode: UInt64, modified: String) {
      self.device = device
      self.inode = inode
      self.modified = modified
    }
  }

  package var version = 1
  package var url: String
  package var urlIncomplete: Bool?
  package var length: Int64?
  package var etag: String?
  package var lastModified: String?
  package var range: Range?
  package var offset: Int64?
  package var finished: Bool?
  package var segments: [Segment] = []
  package var digests: [String: String] = [:]
  package var announced: [String: String]?
  package var announcedPart: Range?
  package var computed: [String: String] = [:]
  package var part: Part?
  package var boot: String?
  /// The CRC-32 of the text without this, eight hexadecimal digits.
  package var checksum: String?

  /// One that claims nothing.
  package init(url: String) { self.url = url }

  /// Reads one. Throws where it is none.
  package init(_ bytes: [UInt8]) throws {
    self = try JSONDecoder().decode(StoredManifest.self, from: Data(bytes))
  }

  /// As it is to be written, with the checksum that it ought to have.
  package var text: String {
    get throws {
      var copy = self
      copy.checksum = nil
      copy.checksum = Content.crc32(of: Array(try copy.textAsItIs.utf8))
      return try copy.textAsItIs
    }
  }

  /// With the checksum that it has.
  package var textAsItIs: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  /// How many bytes are claimed to be here.
  package var done: Int64 { segments.reduce(0) { $0 + $1.end - $1.start } }

  /// The first claim that is not true of the part and of the content that it is to become: order, bounds, the part's
  /// bytes and the checksum. Nil where all are. Throws where the part cannot be read.
  package func firstLie(_ folder: TemporaryFolder, _ part: String, _ content: Content) throws -> String? {
    guard !segments.isEmpty else { return nil }
    let file = try Content.file(folder.path(part))
    var end: Int64 = 0
    for segment in segments {
      guard segment.start >= end, segment.end > segment.start, segment.end <= min(file.length, content.length) else {
        return "a claim that cannot be: \(segment.start)..<\(segment.end) of \(content.length)"
      }
      end = segment.end
      if let difference = try file.firstDifference(from: content, in: segment.range) {
        return "\(segment.range) differs at \(difference)"
      }
      let right = try content.crc32(of: segment.range)
      if segment.crc32 != right { return "the CRC-32 of \(segment.range) is \(right), not \(segment.crc32)" }
    }
    return nil
  }
}
