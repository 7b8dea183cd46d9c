package import DownloadCore
import Glibc

/// Finds what is damaged of a file that is here, and fetches that again.
///
/// Which blocks are damaged is told by the manifest that was kept beside the file, or by the digests of its pieces
/// (`DownloadRequest.pieces`, with `knownLength`). The file becomes a part again, of which the good blocks are claimed, and
/// an ordinary download does the rest.
package struct Repair {
  /// What came of it.
  package enum Outcome: Sendable {
    /// The file is as it must be: it has these digests, or each block has its checksum. Nobody was asked.
    case right([Digest])
    /// It is now.
    case repaired(DownloadReport)
  }

  private let request: DownloadRequest
  private let signals: SignalSource
  private let limiter: RateLimiter?
  private let onEvent: (DownloadEvent) -> Void

  /// `request` names the address, the file by folder and name, and the digests that it must have.
  package init(
    _ request: DownloadRequest, signals: SignalSource, limiter: RateLimiter? = nil,
    onEvent: @escaping (DownloadEvent) -> Void
  ) {
    self.request = request
    self.signals = signals
    self.limiter = limiter
    self.onEvent = onEvent
  }

  /// Throws `manifestUnusable` where nothing tells what is damaged, `digestMismatch` where nothing is and the digest is
  /// another one all the same, `remoteChanged` where the server has another version, and what a download throws. As long
  /// as nothing was fetched the file is as it was; after that it is a part, and the same call goes on with that.
  package func run() throws(DownloadError) -> Outcome {
    let name = request.target.name ?? FileName.fallback
    let folder = try Folder.open(request.target.folder, creating: false)
    if try folder.status(of: name) == nil, try folder.status(of: name + PartFile.suffix) != nil {
      return .repaired(try download(folder, name))
    }
    let file = try DoubtedFile(in: folder, name: name, for: request)
    let findings = try file.read(signals, onEvent)
    if file.isRight(findings) { return .right(file.expected) }
    try file.checkRepair(findings)
    let resource = file.isOnlyTooLong(findings) ? nil : try inquire(of: file)
    try file.becomePart(findings, of: resource)
    do throws(DownloadError) {
      return .repaired(try download(folder, name))
    } catch {
      file.becomeFileAgain()
      throw error
    }
  }

  /// Asks whether the server still has the version that the file is of.
  private func inquire(of file: DoubtedFile) throws(DownloadError) -> Resource {
    let resource = try Inquiry(request, signals: signals, limiter: limiter, onEvent: onEvent).run()
    if let length = file.length, let now = resource.length, length != now {
      throw .repairChanged(request.url, file.shown, "the length was \(length), is \(now)")
    }
    guard let manifest = file.manifest else { return resource }
    var (known, now) = (manifest.validator, resource.validator)
    if manifest.url != request.url.withoutSecrets {
      // Each server has its own ETags; a sample is compared with what this one sends.
      (known.etag, now.etag) = (nil, nil)
    }
    if case .changed(let how) = known.matches(now) { throw .repairChanged(request.url, file.shown, how) }
    return resource
  }

  private func download(_ folder: Folder, _ name: String) throws(DownloadError) -> DownloadReport {
    var job = request
    let manifest = try? ManifestFile(folder: folder, name: name).load()?.get()
    if let manifest {
      job.range = (manifest.range?.range).map { WantedRange.bytes($0) }
      job.acceptsNewURL = manifest.url != request.url.withoutSecrets
    }
    job.staysWithVersion = true
    // One that was not there before, as where a metalink told what is damaged, is not left behind.
    job.keepsManifest = manifest?.known != nil
    return try Download(job, signals: signals, limiter: limiter, onEvent: onEvent).run()
  }
}
