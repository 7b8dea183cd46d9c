import DownloadCore
import Glibc

/// A part in a file of its own, with the manifest that was kept beside it.
struct PartOnDisk {
  let part: PartCover.Part
  private let folder: Folder
  private let name: String

  /// `path` as typed, of the part or of its manifest. Throws `manifestUnusable` where there is no such file, or no
  /// manifest beside it that can be used.
  init(path typed: String, index: Int) throws(DownloadError) {
    let path = typed.hasSuffix(ManifestFile.suffix) ? String(typed.dropLast(ManifestFile.suffix.count)) : typed
    let place = Folder.split(path)
    let folder = try Folder.open(place.folder, creating: false)
    let shown = folder.shown(place.name)
    guard let status = try folder.status(of: place.name) else {
      let part = shown + PartFile.suffix
      let isBegun = try folder.status(of: place.name + PartFile.suffix) != nil
      throw .cannotJoin(shown, isBegun ? Self.unfinished(part) : "there is no such file")
    }
    // A pattern finds the parts that are not complete yet as well.
    if place.name.hasSuffix(PartFile.suffix), try folder.status(of: place.name + ManifestFile.suffix) == nil,
      try folder.status(of: place.name.dropLast(PartFile.suffix.count) + ManifestFile.suffix) != nil
    {
      throw .cannotJoin(shown, Self.unfinished(shown))
    }
    guard status.kind == .regular else { throw .cannotJoin(shown, "it is no regular file") }
    let manifest = try ManifestFile(folder: folder, name: place.name).loadKept(beside: shown)
    part = PartCover.Part(shown: shown, manifest: manifest, size: status.size, index: index)
    self.folder = folder
    name = place.name
  }

  private static func unfinished(_ part: String) -> String {
    "it is not complete yet; go on with: swoop resume --keep-manifest \(part)"
  }

  func status() throws(DownloadError) -> FileStatus {
    guard let status = try folder.status(of: name) else { throw .cannotJoin(part.shown, "it has gone") }
    return status
  }

  /// To be read.
  func open() throws(DownloadError) -> FileDescriptor {
    do throws(Errno) {
      guard let file = try folder.open(name, O_RDONLY) else { throw Errno.notFound }
      return file
    } catch {
      throw .local("read", part.shown, error)
    }
  }

  /// Removes the file and its manifest; says what could not be done.
  func remove() -> [String] {
    do throws(DownloadError) {
      try ManifestFile(folder: folder, name: name).remove()
      try folder.remove(name)
      return []
    } catch {
      return [error.message]
    }
  }
}

extension Folder {
  /// The folder and the name of a path.
  static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
  }
}

extension ManifestFile {
  /// The manifest of what can be joined. Throws `manifestUnusable` where there is none, or none that can be used.
  func loadKept(beside shown: String) throws(DownloadError) -> Manifest {
    switch try load() {
    case .success(let manifest)?:
      guard manifest.length != nil else { throw .cannotJoin(shown, "its manifest does not tell the file's length") }
      return manifest
    case .failure(.malformed(let what))?: throw .cannotJoin(shown, "its manifest cannot be used: \(what)")
    default:
      throw .cannotJoin(
        shown, "there is no manifest \(shown)\(Self.suffix); fetch the part with --range and --keep-manifest")
    }
  }
}
