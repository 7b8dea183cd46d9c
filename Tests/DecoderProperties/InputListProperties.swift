internal import DownloadCore

/// A list reads the same however it is cut into pieces, keeps no more than it may, and the same when it is written anew.
enum InputListProperties {
  static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
    let entries = read(bytes, by: bytes.count)
    for size in [1, 7] { try require(read(bytes, by: size) == entries, "\(size) bytes at a time") }
    let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false).count
    var last = 0
    for entry in entries {
      try require(last < entry.line && entry.line <= lines, "line \(entry.line) after \(last) of \(lines)")
      last = max(entry.line, entry.options.last?.line ?? 0)
      try checkText(entry)
    }
    let good = entries.filter { $0.problem == nil }
    // The empty line keeps a mark at the beginning of a URL from being one of the byte order.
    let again = read(Array(("\n" + good.map(written).joined()).utf8), by: 4096)
    try require(again.map(\.url) == good.map(\.url), "\(good) came back as \(again)")
    try require(again.map { $0.options.map(\.name) } == good.map { $0.options.map(\.name) }, "\(good)")
    try require(again.map { $0.options.map(\.value) } == good.map { $0.options.map(\.value) }, "\(good)")
  }

  private static func checkText(_ entry: InputList.Entry) throws(BrokenProperty) {
    let texts = [entry.url] + entry.options.flatMap { [$0.name, $0.value ?? ""] }
    let bytes = texts.dropFirst().reduce(0) { $0 + $1.utf8.count }
    try require(bytes <= InputList.mostOfEntry && entry.url.utf8.count <= InputList.mostOfLine, "\(bytes) bytes")
    let isClean = texts.allSatisfy { $0.utf8.allSatisfy { $0 == 9 || ($0 >= 0x20 && $0 != 0x7f) } }
    try require(isClean, "a control character in \(texts)")
    try require(entry.problem != nil || !entry.url.isEmpty, "neither a URL nor a problem")
  }

  private static func read(_ bytes: [UInt8], by size: Int) -> [InputList.Entry] {
    var (list, entries, rest) = (InputList(), [InputList.Entry](), bytes[...])
    while !rest.isEmpty {
      entries += list.add(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    return entries + list.finish()
  }

  private static func written(_ entry: InputList.Entry) -> String {
    entry.url + "\n" + entry.options.map { " \($0.name)\($0.value.map { "=\($0)" } ?? "")\n" }.joined()
  }
}
