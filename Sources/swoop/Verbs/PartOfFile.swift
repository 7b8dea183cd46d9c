internal import DownloadCore
internal import DownloadEngine

extension DownloadRequest {
  /// Wants what a partial file is of, as its manifest says. Throws `manifestUnusable` where the manifest is beside a
  /// finished file, or has another name than its range gives it.
  mutating func want(partOf status: PartStatus, _ part: PartName) throws(DownloadError) {
    guard let wanted = status.range else {
      guard !status.isFinished else { throw .noPart(part.path, finished: String(part.path.dropLast(".part".count))) }
      return
    }
    range = .bytes(wanted)
    guard let offset = status.offset else {
      guard !status.isFinished else { throw .noPart(part.path, finished: String(part.path.dropLast(".part".count))) }
      return
    }
    guard let name = wanted.name(ofPart: part.name) else {
      throw .badManifest(part: part.path, "it is not named after its range, \(wanted.inclusiveText)")
    }
    outputOffset = offset
    target.name = name
  }
}
