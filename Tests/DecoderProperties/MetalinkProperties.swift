internal import DownloadCore
internal import DownloadEngine

/// A metalink that is accepted holds whole digests, as many pieces as its files have, and names that lead nowhere else.
enum MetalinkProperties {
  static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
    let metalink: Metalink
    do throws(MetalinkProblem) {
      metalink = try MetalinkParser.parse(bytes)
    } catch {
      return try require(!error.clause.unicodeScalars.contains(where: \.isHidden), "said in words: \(error)")
    }
    try require(!metalink.files.isEmpty, "no file")
    for file in metalink.files {
      try checkProofs(file)
      try checkAddresses(file)
      try checkName(file.name)
    }
  }

  private static func checkProofs(_ file: Metalink.File) throws(BrokenProperty) {
    try require((0...Manifest.mostLength).contains(file.size ?? 0), "a size of \(file.size ?? 0)")
    for digest in file.digests + file.pieces.flatMap(\.digests) {
      let isWhole = digest.hex.utf8.count == 2 * digest.algorithm.length
      try require(isWhole && digest.hex.utf8.allSatisfy { $0.hexValue != nil }, "\(digest)")
    }
    try require(Set(file.digests.map(\.algorithm)).count == file.digests.count, "two of a kind: \(file.digests)")
    for pieces in file.pieces {
      let isOne = Set(pieces.digests.map(\.algorithm)).count == 1
      try require(isOne && pieces.cover(file.size ?? 0), "\(pieces.digests.count) pieces of \(pieces.length)")
      let last = pieces.range(of: pieces.digests.count - 1, total: file.size ?? 0)
      try require(!last.isEmpty && last.end == file.size, "the last piece: \(last)")
    }
  }

  private static func checkAddresses(_ file: Metalink.File) throws(BrokenProperty) {
    let (usable, others) = file.mirrors(from: nil)
    try require(usable.count + others.count <= file.sources.count, "more addresses than there are")
    for mirror in usable {
      let (url, priority) = (mirror.url, mirror.priority ?? 1)
      try require(["http", "https"].contains(url.scheme) && url.userInfo == nil && !mirror.isTyped, "\(url.absolute)")
      try require((1...999_999).contains(priority), "priority \(priority)")
    }
    let ranks = file.sources.map { $0.priority ?? .max }
    try require(ranks == ranks.sorted(), "not the best first: \(ranks)")
  }

  /// Also of names that no metalink gives.
  static func checkName(_ text: String) throws(BrokenProperty) {
    guard let path = try? RelativePath(text) else { return }
    for part in path.folders + [path.name] {
      try require(FileName.sanitised(part)?.hasSameBytes(as: part) == true, "a part that does harm: \(part)")
      try require(part != ".." && !part.utf8.contains(0x2F), "it leads away: \(part)")
    }
    let again = try? RelativePath((path.folders + [path.name]).joined(separator: "/"))
    try require(again == path, "\(path) came back as \(String(describing: again))")
  }
}

/// Whatever the field says, its links are a part of it.
enum LinkFieldProperties {
  static func check(_ text: String) throws(BrokenProperty) {
    let links = LinkField.all(in: ResponseHead(status: .ok, fields: [HeaderField("Link", text)]))
    try require(links.count <= text.utf8.count / 2, "\(links.count) links in \(text)")
    for link in links {
      try require(text.utf8.count >= link.target.utf8.count + 2, "a target longer than the field: \(link.target)")
      for name in link.parameters.keys { try require(name == name.lowercased() && !name.isEmpty, "the name \(name)") }
    }
    let ranked = LinkField.duplicates(among: links)
    try require(ranked.allSatisfy { links.contains($0) && $0.isRelation("duplicate") }, "\(ranked)")
    try require(LinkField.duplicates(among: ranked) == ranked, "ranked once more: \(ranked)")
  }
}
