import DownloadCore
import Glibc
import Synchronization

/// The manifest `NAME.part.json` on disk.
final class ManifestFile: Sendable {
  private let folder: Folder
  private let name: String

  static let suffix = ".part.json"
  private var temporaryName: String { name + ".new" }

  private let reservesRoom = Mutex(false)

  /// Which save was the last: one that was begun before it must not replace it.
  private let latest = Mutex(0)

  /// `name` is the finished file's.
  init(folder: Folder, name: String) {
    self.folder = folder
    self.name = name + Self.suffix
  }

  /// Its path as shown.
  var shown: String { folder.shown(name) }

  /// What `swoop resume` takes to go on with a part: its path, or where it is in its place, that of this manifest.
  func resumable(_ part: PartFile) -> String { part.place == nil ? part.shownName : shown }

  /// Reads and checks the manifest. Nil where there is none; `malformed` counts as none, with a word about it.
  ///
  /// Throws `manifestUnusable` for another version's, and `local` for one that is a link or not ours.
  func load() throws(DownloadError) -> Result<Manifest, ManifestProblem>? {
    guard let bytes = try read() else { return nil }
    do throws(ManifestProblem) {
      return .success(try ManifestJSON.read(bytes))
    } catch {
      guard case .version(let version) = error else { return .failure(error) }
      throw .otherVersion(manifest: folder.shown(name), format: version)
    }
  }

  /// Throws `local` where something has the manifest's name that is a link, no regular file or not ours: a save would
  /// replace it.
  func check() throws(DownloadError) {
    guard let status = try folder.status(of: name) else { return }
    do throws(Errno) {
      try check(status)
    } catch {
      throw problem(error)
    }
  }

  private func read() throws(DownloadError) -> [UInt8]? {
    do throws(Errno) {
      guard let file = try folder.open(name, O_RDONLY) else { return nil }
      let status = try file.status()
      try check(status)
      guard status.size <= Manifest.mostBytes else { return [] }
      var failure: Errno?
      let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.size)) { buffer, count in
        do throws(Errno) { count = try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0) } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      return bytes
    } catch {
      throw problem(error)
    }
  }

  private func problem(_ error: Errno) -> DownloadError {
    guard error == .isLink || error.code == EMLINK else { return .local("read", folder.shown(name), error) }
    return .leftAlone(folder.shown(name), "is a link, no regular file or not ours")
  }

  /// A manifest that is no plain file of ours is left alone.
  private func check(_ status: FileStatus) throws(Errno) {
    let isOurs = try status.isOurs(in: folder.status())
    guard status.kind == .regular, status.links <= 1, isOurs else { throw Errno(EMLINK) }
  }
}

extension ManifestFile {
  /// A ticket for a save: of two, the one with the later ticket stays.
  func ticket() -> Int {
    latest.withLock {
      $0 += 1
      return $0
    }
  }

  /// Writes the manifest beside the old one and renames it over that. `synced`: durably, which can take its time.
  /// A save that a later ticket overtook does nothing, and gives false.
  @discardableResult
  func save(_ manifest: Manifest, ticket: Int, synced: Bool) throws(DownloadError) -> Bool {
    guard let bytes = ManifestJSON.bytes(of: manifest) else {
      throw .local("write", folder.shown(name), Errno(EILSEQ))
    }
    do throws(Errno) {
      return try replace(bytes, ticket: ticket, synced: synced)
    } catch {
      removeTemporary(of: ticket)
      guard error == .noSpace || error.code == EDQUOT else { throw .local("write", folder.shown(name), error) }
      return try overwrite(bytes, ticket: ticket, synced: synced)
    }
  }

  private func replace(_ bytes: [UInt8], ticket: Int, synced: Bool) throws(Errno) -> Bool {
    let raw = try latest.withLock { latest throws(Errno) -> Int32? in
      guard latest == ticket else { return nil }
      return try create()
    }
    guard let raw else { return false }
    let file = FileDescriptor(raw, of: folder.system)
    reserve(file)
    try write(bytes, to: file)
    if synced { try file.sync() }
    try file.close()
    let isLatest = try latest.withLock { latest throws(Errno) in
      guard latest == ticket else { return false }
      try folder.rename(temporaryName, to: name)
      return true
    }
    if isLatest, synced { try folder.sync() }
    return isLatest
  }

  /// On a full disk there is no room for a new manifest beside the old one, but the old one has room of its own. It is
  /// written over; where the machine ends in the middle of that, the next run finds no manifest that it can use.
  private func overwrite(_ bytes: [UInt8], ticket: Int, synced: Bool) throws(DownloadError) -> Bool {
    do throws(Errno) {
      return try latest.withLock { latest throws(Errno) -> Bool in
        guard latest == ticket else { return false }
        guard let file = try folder.open(name, O_WRONLY) else { throw .noSpace }
        let status = try file.status()
        guard status.kind == .regular, status.links == 1, status.allocated >= bytes.count else { throw .noSpace }
        // Cutting it would give away room behind its end: what is left of the old one becomes blank lines.
        let rest = max(0, Int(status.size) - bytes.count)
        try write(bytes + Array(repeating: UInt8(ascii: "\n"), count: rest), to: file)
        if synced { try file.sync() }
        return true
      }
    } catch {
      throw .local("write", folder.shown(name), error)
    }
  }

  /// From now on, when the data has its own room, a manifest has some as well, for the time when the disk is full.
  func reserveRoom() throws(DownloadError) {
    reservesRoom.withLock { $0 = true }
    do throws(Errno) {
      guard let file = try folder.open(name, O_WRONLY) else { return }
      reserve(file)
    } catch {
      throw .local("open", folder.shown(name), error)
    }
  }

  /// Where the file system cannot, or has no room, the manifest is as large as it is.
  private func reserve(_ file: borrowing FileDescriptor) {
    guard reservesRoom.withLock({ $0 }) else { return }
    try? file.allocate(ByteRange(0, Self.reserved), keepingLength: true)
  }

  /// In bytes.
  private static let reserved: Int64 = 128 << 10

  /// What a failed save has written must not take up room that is short already.
  private func removeTemporary(of ticket: Int) {
    latest.withLock { if $0 == ticket { try? folder.remove(temporaryName) } }
  }

  private func write(_ bytes: [UInt8], to file: borrowing FileDescriptor) throws(Errno) {
    var failure: Errno?
    bytes.withUnsafeBytes { buffer in
      do throws(Errno) { try file.write(buffer, at: 0) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// A left-over of an earlier run, or of a save that this one overtook, goes first.
  private func create() throws(Errno) -> Int32 {
    try? folder.remove(temporaryName)
    guard let raw = try folder.openRaw(temporaryName, O_WRONLY | O_CREAT | O_EXCL) else { throw .notFound }
    return raw
  }

  /// Removes the manifest and what an interrupted save may have left.
  func remove() throws(DownloadError) {
    try latest.withLock { latest throws(DownloadError) in
      latest += 1
      try folder.remove(temporaryName)
      try folder.remove(name)
    }
  }
}
