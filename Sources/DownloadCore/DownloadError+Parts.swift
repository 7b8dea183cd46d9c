/// Failures of parts of files: ranges, plans, joining and repairing.
extension DownloadError {
  // MARK: Ranges

  /// `text` is what was typed for `--range`.
  package static func badRange(_ text: String, _ problem: WantedRange.Problem) -> DownloadError {
    let shown = "'\(Redactor.address(text))'"
    let text =
      switch problem {
      case .malformed: "--range is A-B, A- or -N in bytes, both ends included, not \(shown)"
      case .backwards: "--range \(shown) ends before it begins"
      case .empty: "--range \(shown) holds no byte"
      case .tooLarge: "--range \(shown) lies where no file has bytes"
      }
    return DownloadError(.usage, text)
  }

  /// The file does not have all of the range.
  package static func rangeOutside(_ url: RemoteURL, _ range: WantedRange, length: Int64) -> DownloadError {
    let last = length == 0 ? "it is empty" : "its last byte is \(length - 1)"
    return DownloadError(
      .refused, "--range \(range) is not all in \(url.redacted), which has \(length) bytes: \(last)")
  }

  /// Whether a file of unknown length has the range cannot be told.
  package static func rangeWithoutLength(_ url: RemoteURL) -> DownloadError {
    DownloadError(
      .refused,
      "could not fetch a part of \(url.redacted): the server does not tell the file's length, so where the "
        + "part lies is not known; fetch all of it, without --range")
  }

  /// What is here is another part of the file than the one that is wanted.
  package static func otherRange(part: String, here: String, wanted: String) -> DownloadError {
    DownloadError(
      .manifestUnusable,
      "\(part) holds \(here), and \(wanted) is wanted: left alone; give this one another name with -o, or use --restart "
        + "to begin again")
  }

  /// The target of a range is there, and nothing says which bytes it holds.
  package static func rangeTargetExists(_ path: String) -> DownloadError {
    DownloadError(
      .targetExists,
      "\(path) exists, and nothing tells that it is this part of the file, as --keep-manifest would have let it: left "
        + "alone; use --force to replace it, or give this one another name with -o")
  }

  // MARK: Plans

  /// `reason` is one clause.
  package static func cannotPlan(_ url: RemoteURL, _ reason: String) -> DownloadError {
    DownloadError(.refused, "cannot plan parts of \(url.redacted): \(reason)")
  }

  // MARK: Joining

  /// A part cannot be joined; `reason` is one clause.
  package static func cannotJoin(_ path: String, _ reason: String) -> DownloadError {
    DownloadError(.manifestUnusable, "cannot join \(path): \(reason); nothing was changed")
  }

  /// A part was not fetched to its end. `path`: the part's, or of one in its place its manifest's.
  package static func incompletePart(_ path: String, missing: [ByteRange], isInPlace: Bool) -> DownloadError {
    let first = missing.prefix(3).map(\.inclusiveText).joined(separator: ", ")
    let more = missing.count > 3 ? " and \(missing.count - 3) more ranges" : ""
    let what = missing.isEmpty ? "" : ": bytes \(first)\(more) are missing"
    let how = isInPlace ? "go on with 'swoop resume \(path)'" : "fetch it to its end first"
    return .cannotJoin(path, "it is not complete\(what); \(how)")
  }

  /// The file is no part; it may be whole. `mismatch`: the digest that it lacks, and what it has.
  package static func maybeJoined(_ path: String, mismatch: (expected: Digest, got: Digest?)? = nil) -> DownloadError {
    guard let mismatch else {
      return .cannotJoin(
        path,
        "there is no manifest \(path).A-B.part.json or \(path).part.json; it may be joined already, which its digest "
          + "proves: give it by --sha256 HEX or the like")
    }
    let words = Self.mismatch(path, expected: mismatch.expected, got: mismatch.got)
    return .cannotJoin(
      path,
      "there is no manifest \(path).A-B.part.json or \(path).part.json; it may be joined already, but the \(words)")
  }

  /// Bytes of no part, and how to get them.
  package static func gapBetweenParts(_ range: ByteRange, url: String) -> DownloadError {
    DownloadError(
      .manifestUnusable,
      "cannot join: \(range) of \(Redactor.text(Sanitiser.line(url))) are in none of the parts; fetch them with --range "
        + "\(range.inclusiveText) and --keep-manifest; nothing was changed")
  }

  /// Two parts hold the same bytes.
  package static func overlappingParts(_ first: String, _ second: String, _ range: ByteRange) -> DownloadError {
    DownloadError(
      .manifestUnusable, "cannot join: \(first) and \(second) both hold \(range) of the file; nothing was changed")
  }

  /// A part's bytes do not have the CRC-32 that its manifest says.
  package static func damagedPart(_ part: PartCover.Part, _ range: ByteRange) -> DownloadError {
    let manifest = part.manifest
    let shown = Redactor.text(Sanitiser.line(manifest.url))
    let (url, file) = (manifest.urlIncomplete == true ? "URL" : shellWord(shown), shellWord(part.shown))
    let command =
      manifest.offset.map { "swoop --range \(part.range.inclusiveText) --output-offset \($0) -o \(file) \(url)" }
      ?? (shown.hasPrefix("http") || manifest.urlIncomplete == true
        ? "swoop verify --repair \(url) \(file)"
        : "swoop --force --range \(part.range.inclusiveText) --keep-manifest -o \(file) \(url)")
    return DownloadError(
      .digestMismatch,
      "\(part.shown) is damaged: \(range) of the file do not have the CRC-32 of its manifest; nothing was changed; what "
        + "is damaged is fetched again by: \(command)")
  }

  /// As it can be pasted into a shell.
  private static func shellWord(_ text: String) -> String {
    let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "-._~/:@%+,".contains($0) }
    guard !isPlain else { return text }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// The whole does not have the digest that was given.
  package static func joinedMismatch(_ path: String, expected: Digest, got: Digest?) -> DownloadError {
    DownloadError(
      .digestMismatch,
      mismatch(path, expected: expected, got: got) + "; each part is as it was fetched; nothing was changed")
  }

  // MARK: Repairing

  /// Nothing tells which bytes of the file are wrong.
  package static func nothingToRepairBy(_ path: String, _ why: String) -> DownloadError {
    DownloadError(
      .manifestUnusable,
      "cannot repair \(path): \(why); fetch it again with --force, and with --keep-manifest for the next time")
  }

  /// Every block is as it was fetched, and the digest is another one.
  package static func repairedInVain(_ path: String, expected: Digest, got: Digest?) -> DownloadError {
    DownloadError(
      .digestMismatch,
      mismatch(path, expected: expected, got: got)
        + "; every block is as it was fetched, so there is nothing to repair; is it the right digest?")
  }

  /// What is fetched again of a damaged file does not have the checksum of what was there.
  package static func otherBytes(_ url: RemoteURL, _ range: ByteRange, part: String) -> DownloadError {
    DownloadError(
      .remoteChanged,
      "\(range) of \(url.redacted) are not the bytes that were there before the damage, though the server names the "
        + "same version: not taken; \(part) keeps the rest, and the same command tries again")
  }

  /// The server has another version of the file; `how` is one clause.
  package static func repairChanged(_ url: RemoteURL, _ path: String, _ how: String) -> DownloadError {
    DownloadError(
      .remoteChanged, "\(url.redacted) is not the version that \(path) is of (\(how)): left alone")
  }
}
