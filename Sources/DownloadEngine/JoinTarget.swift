import DownloadCore
import Glibc

/// The file that parts are joined into: `NAME.part`, until it is complete.
final class JoinTarget {
  private let part: PartFile
  private let manifestFile: ManifestFile
  /// The kernel cannot copy from these files to this one.
  private var mustWrite = false

  /// Throws `locked` where another process is at work on the file, and `manifestUnusable` where a download of it has got
  /// somewhere: what that has fetched is not thrown away.
  init(in folder: Folder, name: String, of whole: Manifest) throws(DownloadError) {
    guard let part = try PartFile.open(in: folder, name: name, creating: true) else {
      throw DownloadError(.unforeseen, "cannot make \(folder.shown(name))")
    }
    self.part = part
    manifestFile = ManifestFile(folder: folder, name: name)
    try manifestFile.check()
    if !part.isNew { try checkIsOurs() }
    // An interrupted run is known by a manifest that claims nothing.
    try manifestFile.save(whole, ticket: manifestFile.ticket(), synced: false)
    try part.truncate(to: 0)
  }

  private func checkIsOurs() throws(DownloadError) {
    switch try manifestFile.load() {
    case .success(let manifest)? where manifest.segments.isEmpty || manifest.finished == true: return
    case nil where try part.status().size == 0: return
    default:
      throw .cannotJoin(
        "into " + part.shownName.dropLast(PartFile.suffix.count),
        "\(part.shownName) is here, of a download; finish it with swoop resume, or remove it")
    }
  }

  /// Puts bytes that were read from a place of `source` to their place here, by the kernel alone where it can: it may let
  /// both files share them.
  func copy(
    _ bytes: UnsafeRawBufferPointer, from source: borrowing FileDescriptor, at place: Int64, to offset: Int64
  ) throws(DownloadError) {
    var done = 0
    while !mustWrite, done < bytes.count {
      let copied = try? part.copy(
        bytes.count - done, from: source.raw, at: place + Int64(done), to: offset + Int64(done))
      mustWrite = copied == nil || copied == 0
      done += copied ?? 0
    }
    guard done < bytes.count else { return }
    try part.write(UnsafeRawBufferPointer(rebasing: bytes[done...]), at: offset + Int64(done))
  }

  /// Gives the file its name. What could not be done after that is said.
  func finish(_ whole: Manifest, _ job: Join.Job) throws(DownloadError) -> [String] {
    let modified = job.keepsServerTime ? whole.lastModified.flatMap { HTTPDate($0) }?.secondsSinceEpoch : nil
    let hasTwoNames = try part.finish(mode: FileMode.finished, modified: modified, replacing: job.replacesExisting)
    do throws(DownloadError) {
      if hasTwoNames { try part.discard() }
      try part.syncName()
      if job.keepsManifest { try manifestFile.keep(whole, of: part.status()) } else { try manifestFile.remove() }
      return []
    } catch {
      return [error.message]
    }
  }

  /// Leaves nothing behind.
  func discard() {
    guard (try? part.isNamed()) == true else { return }
    try? manifestFile.remove()
    try? part.discard()
  }
}
