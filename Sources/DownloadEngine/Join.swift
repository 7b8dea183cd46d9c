package import DownloadCore
import Glibc

/// Joins parts of a file that are here, each in a file of its own or all in their places in one, and proves the whole:
/// one reading compares each part with its checksums, computes the digests, and copies.
package struct Join {
  /// What is to be joined, and how.
  package struct Job: Sendable {
    /// Paths of the parts, or of the one file that was filled in place.
    package var parts: [String]
    /// Where the whole goes; without a name that of its URL.
    package var target = DownloadRequest.Target()
    /// Each must be that of the whole.
    package var digests: [Digest] = []
    /// Replace a file that has the name of the whole.
    package var replacesExisting = false
    /// Leave a manifest of the whole beside it.
    package var keepsManifest = false
    /// Give the whole the server's Last-Modified.
    package var keepsServerTime = true
    /// Remove the parts when the whole is there.
    package var removesParts = false

    /// Everything but the parts at its default.
    package init(parts: [String]) { self.parts = parts }
  }

  /// What came of it.
  package struct Outcome: Sendable {
    /// The whole file's path as shown.
    package var path: String
    /// The whole file's length.
    package var bytes: Int64
    /// How many parts it was in.
    package var parts: Int
    /// Of the whole, put together from those of the parts.
    package var crc32: UInt32
    /// Digests that were compared.
    package var digests: [Digest]
    /// The whole was here already, and nothing was joined.
    package var wasThere = false
    /// What was not done after the whole was there, as one clause each.
    package var warnings: [String] = []
  }

  let job: Job
  let signals: SignalSource
  let onEvent: (DownloadEvent) -> Void

  /// `onEvent` gets how far it is.
  package init(_ job: Job, signals: SignalSource, onEvent: @escaping (DownloadEvent) -> Void) {
    var job = job
    job.parts = Self.withoutOwnManifests(job.parts)
    self.job = job
    self.signals = signals
    self.onEvent = onEvent
  }

  /// Throws `manifestUnusable` for parts that do not fit together, `digestMismatch` where bytes are not what was fetched
  /// or the whole is not what it must be, `targetExists`, `locked` and `local`; then the parts are as they were, and
  /// nothing else is there.
  package func run() throws(DownloadError) -> Outcome {
    if job.parts.count == 1 {
      if let place = try FilledFile(path: job.parts[0]) { return try joinOrProve(place) }
      if job.target == DownloadRequest.Target(), let before = try joinedInPlace(job.parts[0]) { return before }
    }
    let (files, cover): ([PartOnDisk], PartCover)
    do throws(DownloadError) {
      files = try self.files()
      cover = try PartCover(files.map(\.part))
    } catch {
      // The run that has joined them may have removed them.
      guard error.failure == .manifestUnusable, let before = try provenBefore() else { throw error }
      return before
    }
    if let before = try joinedBefore(files, cover) { return before }
    return try join(files, cover)
  }

  /// A shell's `p*` gives the manifests beside the parts as well: a part and its own are one. So are a file that was
  /// filled in place and those of its parts.
  static func withoutOwnManifests(_ typed: [String]) -> [String] {
    let named = Set(typed.filter { !$0.hasSuffix(ManifestFile.suffix) })
    func part(_ path: String) -> String { String(path.dropLast(ManifestFile.suffix.count)) }
    let parts = typed.filter { !$0.hasSuffix(ManifestFile.suffix) || !named.contains(part($0)) }
    guard named.count == 1, let file = named.first, parts.count > 1 else { return parts }
    let others = parts.filter { $0 != file }
    return others.allSatisfy { FilledFile.isStem(part($0), of: file) } ? parts.filter { $0 == file } : parts
  }

  private func files() throws(DownloadError) -> [PartOnDisk] {
    var files: [PartOnDisk] = []
    for (index, path) in job.parts.enumerated() { files.append(try PartOnDisk(path: path, index: index)) }
    return files
  }
}

extension Join {
  private func join(_ files: [PartOnDisk], _ cover: PartCover) throws(DownloadError) -> Outcome {
    let folder = try Folder.open(job.target.folder)
    let name = name(of: cover)
    try checkTarget(folder, name, files)
    let target = try JoinTarget(in: folder, name: name, of: cover.whole)
    do throws(DownloadError) {
      let reading = try JoinReading(of: cover, job.digests.map(\.algorithm), signals, onEvent)
      for part in cover.parts {
        let file = try files[part.index].open()
        try reading.read(part, from: file) { bytes, offset throws(DownloadError) in
          try target.copy(bytes, from: file, at: offset - part.manifest.base, to: offset)
        }
      }
      let whole = try reading.finish(folder.shown(name), expecting: job.digests)
      var outcome = outcome(folder.shown(name), reading)
      outcome.warnings = try target.finish(whole, job)
      if job.removesParts { for file in files { outcome.warnings += file.remove() } }
      return outcome
    } catch {
      target.discard()
      throw error
    }
  }

  private func outcome(_ path: String, _ reading: JoinReading) -> Outcome {
    Outcome(
      path: path, bytes: reading.cover.whole.length ?? 0, parts: reading.cover.parts.count, crc32: reading.crc32,
      digests: job.digests)
  }

  /// That of `-o`, or the name that a download from the address would have without knowing more.
  func name(of cover: PartCover) -> String {
    if let name = job.target.name { return name }
    let last = (try? URLParser.parse(typed: cover.whole.url, allowing: .all))?.lastPathPart
    return last.flatMap { FileName.fromURLPath($0) } ?? FileName.fallback
  }

  private func checkTarget(_ folder: Folder, _ name: String, _ files: [PartOnDisk]) throws(DownloadError) {
    guard let there = try folder.status(of: name) else { return }
    for file in files where try file.status().isSameFile(as: there) {
      throw DownloadError(
        .targetExists, "\(folder.shown(name)) is one of the parts: give the whole file another name with -o")
    }
    guard job.replacesExisting, there.kind != .folder else { throw .targetExists(folder.shown(name)) }
  }

  /// A run that was killed when it removed the manifests has left some: then the digest alone proves the file.
  private func joinOrProve(_ file: FilledFile) throws(DownloadError) -> Outcome {
    do throws(DownloadError) {
      return try join(file)
    } catch {
      guard error.failure == .manifestUnusable, var before = try proven(job.parts[0]) else { throw error }
      before.warnings = file.removeManifests()
      return before
    }
  }

  /// Checks a file that was filled in place where it is.
  private func join(_ file: FilledFile) throws(DownloadError) -> Outcome {
    guard job.target.name == nil else {
      throw DownloadError(.usage, "\(file.shown) was filled in place: join checks it where it is, without -o")
    }
    try file.lock()
    let reading = try JoinReading(of: PartCover(file.parts), job.digests.map(\.algorithm), signals, onEvent)
    for part in reading.cover.parts { try file.read(part, reading) }
    let whole = try reading.finish(file.shown, expecting: job.digests)
    var outcome = outcome(file.shown, reading)
    outcome.warnings = try file.finish(whole, job)
    return outcome
  }
}
