import FoundationEssentials
import TestSupport

extension Trial {
  /// Leaves a part as an earlier run would have: of full length, and everything but `missing` claimed to be here, with
  /// the identity that lets it be trusted. `isHole`: a hole all through, and checksums that nobody has counted.
  func plant(missing: [Range<Int64>], isHole: Bool = true) throws {
    let part = placed(name + ".part")
    if isHole {
      try folder.write("", to: part, mode: 0o600)
      try folder.truncate(part, to: content.length)
    } else {
      try folder.write(content, to: part, mode: 0o600)
    }
    var manifest = StoredManifest(url: server.url(path))
    manifest.length = content.length
    manifest.etag = content.etag
    manifest.lastModified = "Wed, 01 Jan 2025 00:00:00 GMT"
    manifest.segments = try Self.segments(of: content.length, but: missing).map { range in
      .init(start: range.lowerBound, end: range.upperBound, crc32: isHole ? "00000000" : try content.crc32(of: range))
    }
    manifest.part = try identity(of: part)
    manifest.boot = String(
      decoding: try Data(contentsOf: URL(filePath: "/proc/sys/kernel/random/boot_id")).prefix { $0 > 0x20 },
      as: UTF8.self)
    try folder.write(manifest.text, to: placed(name + ".part.json"), mode: 0o600)
  }

  /// No segment crosses a multiple of the block size: the smallest power of two that makes 1,024 blocks at most, or
  /// 1 MiB.
  private static func segments(of length: Int64, but missing: [Range<Int64>]) -> [Range<Int64>] {
    var block: Int64 = 1 << 20
    while block << 10 < length { block *= 2 }
    var cuts = Set(stride(from: 0, to: length, by: Int(block)).map { Int64($0) } + [length])
    for gap in missing { cuts.formUnion([gap.lowerBound, gap.upperBound]) }
    let ends = cuts.sorted()
    return zip(ends, ends.dropFirst()).compactMap { start, end in
      missing.contains { $0.contains(start) } ? nil : start..<end
    }
  }

  private func identity(of name: String) throws -> StoredManifest.Part {
    let result = try CommandRunner("stat", ["-c", "%d %i %Y %y", folder.path(name)]).run()
    let words = result.output.split(separator: " ")
    let fraction = words[4].split(separator: ".")[1]
    return .init(device: UInt64(words[0]) ?? 0, inode: UInt64(words[1]) ?? 0, modified: "\(words[2]).\(fraction)")
  }
}
