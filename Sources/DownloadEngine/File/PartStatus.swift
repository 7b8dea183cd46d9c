package import DownloadCore

/// What a manifest says of a partial file.
package struct PartStatus: Sendable {
  /// The URL as the manifest keeps it: without secrets.
  package var url: String
  /// Whether parameters that looked secret were left out of the URL.
  package var urlIsIncomplete: Bool
  /// The length of what is wanted; nil where the server did not tell.
  package var length: Int64?
  /// The part of the file that is wanted; nil: all of it.
  package var range: ByteRange?
  /// Where in an existing file that goes; nil: into a file of its own.
  package var offset: Int64?
  /// All is done, and the manifest was kept beside the finished file.
  package var isFinished: Bool
  /// Completed bytes.
  package var done: Int64
  /// What is not here yet, ascending.
  package var missing: [ByteRange]
  /// The digests that the file must have.
  package var digests: [Digest]
  /// All that is known of them came over plain http.
  package var digestsAreUnauthenticated: Bool
  /// The digest that the server announced.
  package var announced: [Digest]
  /// Digests of the complete part as it is now, where they are not those that it must have.
  package var computed: [Digest]

  /// Reads the manifest beside the partial file of `name`, the finished file's; fails with `manifestUnusable` where
  /// there is none or it cannot be used.
  package static func read(folder path: String, name: String) throws(DownloadError) -> PartStatus {
    let folder: Folder
    do throws(DownloadError) { folder = try Folder.open(path, creating: false) } catch {
      throw DownloadError(.manifestUnusable, error.message)
    }
    let part = name + PartFile.suffix
    switch try ManifestFile(folder: folder, name: name).load() {
    case .success(let manifest)?:
      try checkIsHere(name, manifest, folder)
      return PartStatus(manifest, isUntouched: try isUntouched(part, manifest, folder))
    case .failure(.malformed(let what))?: throw .badManifest(part: folder.shown(part), what)
    default: throw try noManifest(folder, name)
    }
  }

  /// A manifest outlives what it tells of where that was removed by hand. Fails with `manifestUnusable` then.
  private static func checkIsHere(_ name: String, _ manifest: Manifest, _ folder: Folder) throws(DownloadError) {
    let part = folder.shown(name + PartFile.suffix)
    if manifest.offset != nil, let range = manifest.range?.range {
      // One that is not named after its range belongs to no file that could be looked for.
      guard let file = range.name(ofPart: name), try folder.status(of: file) == nil else { return }
      throw .onlyManifest(of: folder.shown(file), part: nil, manifest: part + ".json")
    }
    let file = try folder.status(of: name)
    if manifest.finished == true {
      guard file == nil else { return }
    } else {
      guard try folder.status(of: name + PartFile.suffix) == nil else { return }
      guard file?.kind != .regular else { throw .noPart(part, finished: folder.shown(name)) }
    }
    throw .onlyManifest(of: folder.shown(name), part: part, manifest: part + ".json")
  }

  /// Whether the part is as the manifest's last run left it.
  private static func isUntouched(
    _ part: String, _ manifest: Manifest, _ folder: Folder
  ) throws(DownloadError) -> Bool {
    guard let known = manifest.part, let boot = manifest.boot, boot == folder.system.boot else { return false }
    return try folder.status(of: part)?.identity == known
  }

  /// Why there is nothing to go on with.
  private static func noManifest(_ folder: Folder, _ name: String) throws(DownloadError) -> DownloadError {
    let part = folder.shown(name + PartFile.suffix)
    if try folder.status(of: name + PartFile.suffix) != nil { return .noManifest(of: part) }
    let isFinished = try folder.status(of: name)?.kind == .regular
    return .noPart(part, finished: isFinished ? folder.shown(name) : nil)
  }

  private init(_ manifest: Manifest, isUntouched: Bool) {
    let ledger = manifest.ledger(combine: CRC32.combine)
    url = manifest.url
    urlIsIncomplete = manifest.urlIncomplete ?? false
    length = manifest.wanted?.count
    range = manifest.range?.range
    offset = manifest.offset
    isFinished = manifest.finished ?? false
    done = ledger.done
    missing = manifest.wanted.map { ledger.covered.gaps(in: $0).ranges } ?? []
    digests = manifest.demandedDigests
    digestsAreUnauthenticated = manifest.digestsUnauthenticated ?? false
    announced = manifest.announcedDigests
    computed = isUntouched ? manifest.computedDigests : []
  }
}
