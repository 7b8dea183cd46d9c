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
    for part in parts {
      let status: PartStatus
      do {
        status = try PartStatus.read(folder: part.folder, name: part.name)
      } catch {
        _ = Diagnostics.report(error)
        first = first ?? error.failure
        continue
      }
      try Results.print(text(part, status))
    }
    return first
  }

  static func text(_ part: PartName, _ status: PartStatus) -> String {
    var lines = [
      part.path.printable,
      "  url      " + status.url.printable + (status.urlIsIncomplete ? " (secret parameters left out)" : ""),
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
