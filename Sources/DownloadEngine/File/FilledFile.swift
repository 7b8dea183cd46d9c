import DownloadCore
import Glibc

/// A file that was filled in place, with a manifest for each of its parts: `NAME.A-B.part.json`.
final class FilledFile {
  let parts: [PartCover.Part]
  let shown: String
  private let folder: Folder
  private let name: String
  private let file: FileDescriptor
  private let manifests: [ManifestFile]

  /// Nil where no such manifests are beside the file: it is a part of its own, or nothing.
  convenience init?(path: String) throws(DownloadError) {
    let place = Folder.split(path)
    guard let folder = try Folder.openIfThere(place.folder) else { return nil }
    let shown = folder.shown(place.name)
    var found: [(Manifest, ManifestFile)] = []
    for stem in try Self.stems(in: folder, of: place.name) {
      let file = ManifestFile(folder: folder, name: stem)
      let manifest = try file.loadKept(beside: file.shown)
      if manifest.offset != nil { found.append((manifest, file)) }
    }
    guard !found.isEmpty else { return nil }
    try self.init(in: folder, place.name, shown, found)
  }

  private init(
    in folder: Folder, _ name: String, _ shown: String, _ found: [(Manifest, ManifestFile)]
  ) throws(DownloadError) {
    self.folder = folder
    self.name = name
    self.shown = shown
    manifests = found.map(\.1)
    let size: Int64
    do throws(Errno) {
      guard let raw = try folder.openRaw(name, O_RDWR) else { throw Errno.notFound }
      file = FileDescriptor(raw, of: folder.system)
      size = try file.status().size
    } catch {
      throw .local("open", shown, error)
    }
    parts = found.enumerated().map { index, part in
      PartCover.Part(shown: shown, name: part.1.shown, manifest: part.0, size: size, index: index)
    }
  }

  /// The names that `NAME.A-B.part.json` are made of, without what is behind `A-B`.
  private static func stems(in folder: Folder, of name: String) throws(DownloadError) -> [String] {
    try folder.names().filter { found in
      found.hasSuffix(ManifestFile.suffix) && isStem(String(found.dropLast(ManifestFile.suffix.count)), of: name)
    }.map { String($0.dropLast(ManifestFile.suffix.count)) }
  }

  /// Whether a name is `NAME.A-B`.
  static func isStem(_ stem: String, of name: String) -> Bool {
    guard stem.hasPrefix(name + ".") else { return false }
    let ends = stem.dropFirst(name.count + 1).split(separator: "-")
    return ends.count == 2 && ends.allSatisfy { String($0).isDigits }
  }

  /// Throws `locked` where a part of it is still being fetched.
  func lock() throws(DownloadError) {
    do throws(Errno) {
      try file.lock(.openFile)
    } catch {
      switch error.code {
      case EWOULDBLOCK, EACCES: throw .locked(shown)
      case ENOLCK, EOPNOTSUPP, EINVAL, ENOSYS: return
      default: throw .local("lock", shown, error)
      }
    }
  }

  func read(_ part: PartCover.Part, _ reading: JoinReading) throws(DownloadError) {
    try reading.read(part, from: file) { _, _ in }
  }

  /// Gives the file its time, and in place of its parts' manifests one of the whole, where that is wanted. What could
  /// not be done after the file was known to be right is said.
  func finish(_ whole: Manifest, _ job: Join.Job) throws(DownloadError) -> [String] {
    do throws(Errno) {
      if job.keepsServerTime, let time = whole.lastModified.flatMap({ HTTPDate($0) }) {
        try? file.setModified(time.secondsSinceEpoch)
      }
      try file.sync()
    } catch {
      throw .local("sync", shown, error)
    }
    do throws(DownloadError) {
      if job.keepsManifest { try ManifestFile(folder: folder, name: name).keep(whole, of: try status()) }
    } catch {
      return [error.message]
    }
    return removeManifests()
  }

  /// Says what could not be done.
  func removeManifests() -> [String] {
    do throws(DownloadError) {
      for manifest in manifests { try manifest.remove() }
      return []
    } catch {
      return [error.message]
    }
  }

  private func status() throws(DownloadError) -> FileStatus {
    do throws(Errno) { return try file.status() } catch { throw .local("look at", shown, error) }
  }
}

extension ManifestFile {
  /// Leaves a manifest beside a finished file, durably.
  func keep(_ manifest: Manifest, of file: FileStatus) throws(DownloadError) {
    var kept = manifest
    kept.finished = true
    kept.part = file.identity
    try save(kept, ticket: ticket(), synced: true)
  }
}
