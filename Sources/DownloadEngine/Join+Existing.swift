import DownloadCore
import Glibc

/// Files that are joined already: a job that is run again must not fail.
extension Join {
  /// What one reading of a file has shown.
  private struct Findings {
    let size: Int64
    var crc32: UInt32 = 0
    var digests: [Digest] = []
  }

  /// A file that is no part and was joined where it is: its manifest of the whole, where that was kept, or the digest
  /// proves it. Nil where it is a part, or nothing that can be read.
  ///
  /// Throws `manifestUnusable` where nothing proves it, and `digestMismatch` where it is damaged.
  func joinedInPlace(_ path: String) throws(DownloadError) -> Outcome? {
    guard !path.hasSuffix(ManifestFile.suffix), let (folder, name, size) = try place(of: path) else { return nil }
    switch try ManifestFile(folder: folder, name: name).load() {
    case .success(let kept)? where kept.finished == true && kept.range == nil && kept.length != nil:
      return try whole(path)
    case .some: return nil
    case nil: break
    }
    let shown = folder.shown(name)
    guard !job.digests.isEmpty else { throw .maybeJoined(shown) }
    let found = try read(name, in: folder, size)
    if let expected = job.digests.first(where: { !found.digests.contains($0) }) {
      throw .maybeJoined(shown, mismatch: (expected, found.digests.first { $0.algorithm == expected.algorithm }))
    }
    return outcome(shown, found)
  }

  /// A whole file with its manifest: each block must have its checksum.
  private func whole(_ path: String) throws(DownloadError) -> Outcome {
    let file = try PartOnDisk(path: path, index: 0)
    let cover = try PartCover([file.part])
    let reading = try JoinReading(of: cover, job.digests.map(\.algorithm), signals, onEvent)
    try reading.read(cover.parts[0], from: try file.open()) { _, _ in }
    _ = try reading.finish(file.part.shown, expecting: job.digests)
    return outcome(file.part.shown, Findings(size: file.part.size, crc32: reading.crc32))
  }

  /// The whole is there, as its parts say it is, or as its digests do where some are given. Nil where it is not.
  func joinedBefore(_ files: [PartOnDisk], _ cover: PartCover) throws(DownloadError) -> Outcome? {
    let name = name(of: cover)
    guard let folder = try Folder.openIfThere(job.target.folder), let status = try folder.status(of: name),
      status.kind == .regular, status.size == cover.whole.length
    else { return nil }
    for file in files where try file.status().isSameFile(as: status) { return nil }
    let found = try read(name, in: folder, status.size)
    let isTheirs = found.crc32 == Self.crc32(of: cover)
    guard job.digests.isEmpty ? isTheirs : found.digests == job.digests else { return nil }
    var outcome = outcome(folder.shown(name), found)
    outcome.warnings = settle(folder, name, status)
    guard job.removesParts else { return outcome }
    if isTheirs {
      for file in files { outcome.warnings += file.remove() }
    } else {
      outcome.warnings.append("the parts are not of \(outcome.path), and stay")
    }
    return outcome
  }

  /// The file of `-o` is there and has the digests, whatever became of the parts. Nil where that is not so.
  func provenBefore() throws(DownloadError) -> Outcome? {
    guard let name = job.target.name, var outcome = try proven(Folder.shown(name, in: job.target.folder)) else {
      return nil
    }
    var left: [String] = []
    for part in job.parts where try place(of: part) != nil { left.append(part) }
    if job.removesParts, !left.isEmpty {
      outcome.warnings.append("not all parts are here, so these stay: \(left.joined(separator: ", "))")
    }
    return outcome
  }

  /// A file that has the digests; nil where there are none, or it has not.
  func proven(_ path: String) throws(DownloadError) -> Outcome? {
    guard !job.digests.isEmpty, let (folder, name, size) = try place(of: path) else { return nil }
    let found = try read(name, in: folder, size)
    return found.digests == job.digests ? outcome(folder.shown(name), found) : nil
  }

  /// Where a regular file is, and its bytes; nil where there is none.
  private func place(of path: String) throws(DownloadError) -> (folder: Folder, name: String, size: Int64)? {
    let place = Folder.split(path)
    guard let folder = try Folder.openIfThere(place.folder), let status = try folder.status(of: place.name),
      status.kind == .regular
    else { return nil }
    return (folder, place.name, status.size)
  }

  /// Of the whole, as the parts' manifests have it.
  private static func crc32(of cover: PartCover) -> UInt32 {
    cover.parts.flatMap(\.manifest.segments).reduce(0) { CRC32.combine($0, $1.checksum ?? 0, $1.end - $1.start) }
  }

  private func outcome(_ path: String, _ found: Findings) -> Outcome {
    Outcome(
      path: path, bytes: found.size, parts: job.parts.count, crc32: found.crc32, digests: job.digests, wasThere: true)
  }

  private func open(_ name: String, in folder: Folder) throws(DownloadError) -> FileDescriptor {
    do throws(Errno) {
      guard let file = try folder.open(name, O_RDONLY) else { throw Errno.notFound }
      return file
    } catch {
      throw .local("read", folder.shown(name), error)
    }
  }

  /// Throws `interrupted` and `local`.
  private func read(_ name: String, in folder: Folder, _ size: Int64) throws(DownloadError) -> Findings {
    let file = try open(name, in: folder)
    let shown = folder.shown(name)
    var found = Findings(size: size)
    let digests = try HeldDigests(job.digests.map(\.algorithm))
    var clock = MonotonicClock()
    let meter = ProgressReporter(total: size, at: clock.now(), onEvent: onEvent)
    try PieceReader().read(ByteRange(0, size), base: 0, of: file, shown) { bytes, offset throws(DownloadError) in
      found.crc32 = CRC32.update(found.crc32, bytes)
      digests.update(bytes)
      meter.verifying(offset + Int64(bytes.count), of: size, at: clock.now())
      if let signal = signals.pending() { throw .interrupted(signal) }
    }
    found.digests = digests.finish()
    return found
  }

  /// Removes what a run that was killed in its last steps has left beside the file. Says what could not be done.
  private func settle(_ folder: Folder, _ name: String, _ status: FileStatus) -> [String] {
    do throws(DownloadError) {
      if let part = try folder.status(of: name + PartFile.suffix) {
        guard part.isSameFile(as: status) else { return [] }
        try folder.remove(name + PartFile.suffix)
      }
      let file = ManifestFile(folder: folder, name: name)
      if case .success(let left)? = try file.load(), left.finished != true, left.segments.isEmpty { try file.remove() }
      return []
    } catch {
      return [error.message]
    }
  }
}
