internal import DownloadCore

/// A list of digests that is accepted holds whole digests and usable names, and says the same when it is written anew.
enum ChecksumFileProperties {
  /// The first line is the list's own name.
  static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
    let end = bytes.firstIndex(of: 0x0a) ?? bytes.endIndex
    let (source, list) = (String(decoding: bytes[..<end], as: UTF8.self), Array(bytes[end...].dropFirst()))
    guard let file = try? ChecksumFile(list, source: source) else { throw BrokenProperty("refused as a whole") }
    let used = file.entries.count + file.strayLines + (file.bare == nil ? 0 : 1)
    try require(used <= list.split(separator: 0x0a).count, "\(used) lines in \(list)")
    try require(file.bare == nil || file.entries.isEmpty, "a bare digest beside names")
    if let bare = file.bare { try checkDigest(bare) }
    for entry in file.entries { try checkEntry(entry, of: file) }
    try checkRewritten(file)
  }

  private static func checkDigest(_ digest: Digest) throws(BrokenProperty) {
    let isWhole = digest.hex.utf8.count == 2 * digest.algorithm.length
    try require(isWhole && digest.hex.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }, "\(digest)")
  }

  private static func checkEntry(_ entry: ChecksumFile.Entry, of file: ChecksumFile) throws(BrokenProperty) {
    try checkDigest(entry.digest)
    try require(!entry.name.isEmpty && !entry.name.contains(0) && entry.name != [0x2d], "the name \(entry.name)")
    guard let path = entry.path else { return }
    let digests = Set(file.entries.filter { $0.name == entry.name }.map(\.digest))
    let isClear = Set(digests.map(\.algorithm)).count == digests.count
    let found = try? file.digests(of: ["no such name\n", path])
    try require(found.map { Set($0) } == (isClear ? digests : nil), "\(digests) of \(path)")
  }

  /// BSD's lines, with the algorithm and with escapes.
  private static func checkRewritten(_ file: ChecksumFile) throws(BrokenProperty) {
    var list: [UInt8] = []
    for entry in file.entries {
      list += Array("\\\(entry.digest.algorithm.rawValue) (./".utf8) + escaped(entry.name)
      list += Array(") = \(entry.digest.hex)\n".utf8)
    }
    let again = try? ChecksumFile(list)
    try require(again?.entries == file.entries, "\(file.entries) came back as \(again?.entries ?? [])")
  }

  private static func escaped(_ name: [UInt8]) -> [UInt8] {
    name.flatMap { byte in
      switch byte {
      case 0x0a: Array("\\n".utf8)
      case 0x0d: Array("\\r".utf8)
      case UInt8(ascii: "\\"): Array("\\\\".utf8)
      default: [byte]
      }
    }
  }
}
