internal import DownloadCore
internal import DownloadEngine

/// `swoop status NAME.part...`: what is here of a file, and what is missing.
enum StatusVerb {
  static func run(_ arguments: Arguments) throws(DownloadError) -> Failure? {
    guard !arguments.operands.isEmpty else { throw .usage("status needs a partial file: NAME.part") }
    Diagnostics.noteConfiguration(of: arguments)
    var parts: [PartName] = []
    for operand in arguments.operands { parts.append(try PartName(typed: operand)) }
    var first: Failure?
    for (file, part) in parts.enumerated() {
      let failure = try tell(file, part, arguments)
      first = first ?? failure
    }
    return first
  }

  private static func tell(_ file: Int, _ part: PartName, _ arguments: Arguments) throws(DownloadError) -> Failure? {
    var (status, failure): (PartStatus?, DownloadError?) = (nil, nil)
    do throws(DownloadError) { status = try PartStatus.read(folder: part.folder, name: part.name) } catch {
      failure = error
    }
    let members = members(path: part.path, status, failure)
    if failure != nil || arguments.progress == .json {
      let ending = Ending(words: failure?.words ?? .nothing, result: members)
      Diagnostics.tell(ending, of: file, to: arguments.progress, isQuiet: arguments.isQuiet)
    }
    if arguments.printsJSON {
      try Results.print(JSONValue.object(members).text + "\n")
    } else if let status {
      try Results.print(text(part, status))
    }
    return failure?.failure
  }

  /// The members of the JSON object about a part. A range's end is the first byte after it, as in the manifest.
  static func members(path: String?, _ status: PartStatus?, _ error: DownloadError?) -> [JSONMember] {
    let missing = status?.missing.map { range in
      JSONValue.object([JSONMember("start", .integer(range.start)), JSONMember("end", .integer(range.end))])
    }
    let range = (status?.range).map { [JSONMember("range", .string($0.inclusiveText))] } ?? []
    return [JSONMember("path", .text(path)), JSONMember("url", .text(status?.url))] + range + [
      JSONMember("done", .count(status?.done)), JSONMember("total", .count(status?.length)),
      JSONMember("missing", .array(missing ?? [])), JSONMember("digests", .digests(status?.digests ?? [])),
    ] + JobRecord.ending(error)
  }

  static func text(_ part: PartName, _ status: PartStatus) -> String {
    var lines = [
      part.path.printable,
      "  url      " + status.url.printable + (status.urlIsIncomplete ? " (secret parameters left out)" : ""),
    ]
    if let range = status.range {
      lines.append("  range    \(range.inclusiveText)" + (status.offset.map { " at offset \($0)" } ?? ""))
    }
    lines += [
      "  done     " + done(status),
      "  missing  " + (status.length == nil ? startsOver : missing(status.missing)),
    ]
    lines += status.digests.map { digest($0, status) }
    lines += status.announced.map { digest($0, status, note: "announced by the server") }
    return lines.map { $0 + "\n" }.joined()
  }

  private static let startsOver = "unknown: the server gave no length, so the next run begins again"

  /// What the file must have, and whether the complete part is known not to have it.
  private static func digest(_ digest: Digest, _ status: PartStatus, note: String? = nil) -> String {
    let got = status.computed.first { $0.algorithm == digest.algorithm && $0 != digest }
    let notes = [note, got.map { "does not match: got \($0.hex)" }].compactMap(\.self).joined(separator: ", ")
    return "  digest   \(digest.algorithm.rawValue) \(digest.hex)" + (notes.isEmpty ? "" : " (\(notes))")
  }

  private static func done(_ status: PartStatus) -> String {
    let progress = Progress(done: status.done, total: status.length, rate: nil, connections: 0)
    guard let length = status.length, let percent = progress.percent else {
      return "\(status.done) bytes (\(ByteCount(status.done))), length unknown"
    }
    return "\(status.done) of \(length) bytes (\(ByteCount(status.done)) of \(ByteCount(length)), \(percent) %)"
  }

  /// The ranges as servers and messages name them, both ends included.
  static func missing(_ ranges: [ByteRange]) -> String {
    guard !ranges.isEmpty else { return "nothing" }
    let shown = ranges.prefix(10).map(\.inclusiveText)
    let more = ranges.count > shown.count ? " and \(ranges.count - shown.count) more" : ""
    let count = ranges.count == 1 ? "1 range" : "\(ranges.count) ranges"
    return "\(count): \(shown.joined(separator: ", "))\(more)"
  }
}
