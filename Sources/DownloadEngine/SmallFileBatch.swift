import DownloadCore

/// Small files that are written and have not got their names yet.
struct SmallFileBatch {
  private struct Entry {
    let file: SmallFile
    let part: PartFile
    /// Its name is not the one that the next run would look for: a manifest says whose the part is.
    let manifest: ManifestFile?
  }

  private var entries: [Entry] = []
  /// Those of which an earlier run had left a part that cannot be gone on with, and what that is called.
  private var left: [(file: SmallFile, part: String)] = []
  private(set) var bytes = 0
  var count: Int { entries.count }

  /// Where there are no more than this, each is synced by itself: a whole disk has more to do.
  private static let mostSyncedAlone = 8

  /// Writes the part of a file and proves it. False where somebody else has to: a digest does not match, or an earlier run
  /// has left something.
  ///
  /// Throws as `PartFile.open` does, `targetExists`, and `local` where it cannot be written.
  mutating func write(_ file: SmallFile) throws(DownloadError) -> Bool {
    guard try Self.hasDigests(file) else { return false }
    let open = try PartFile.open(in: file.folder, name: file.name, creating: true, expectingNone: true)
    guard let part = open else {
      throw DownloadError(.unforeseen, "cannot make \(file.folder.shown(file.name))")
    }
    do throws(DownloadError) {
      guard try Self.mayTake(part, for: file) else {
        if part.isNew { try part.discard() }
        return false
      }
      if !part.isNew, try part.status().size > 0 {
        left.append((file, part.shownName))
        try part.truncate(to: 0)
      }
      let manifest = try Self.manifest(of: file)
      try file.bytes.withBytes { bytes throws(DownloadError) in try part.write(bytes, at: 0) }
      var written = file
      written.dropBytes()
      entries.append(Entry(file: written, part: part, manifest: manifest))
      bytes += file.length
      return true
    } catch {
      if part.isNew { try? part.discard() }
      throw error
    }
  }

  /// Makes all of them durable and gives them their names; tells of each what went wrong, nil where nothing did.
  mutating func finish(
    onWarning: (SmallFile, String) -> Void, onEnd: (SmallFile, DownloadError?) -> Void
  ) {
    if let (file, name) = left.first {
      let subject = left.count == 1 ? "\(name) has" : "\(name) and \(left.count - 1) more have"
      onWarning(file, "\(subject) no manifest: beginning again")
    }
    let problems = makeDurable()
    var named: [Entry] = []
    for entry in entries {
      do throws(DownloadError) {
        if let problem = problems[entry.file.number] {
          throw .local("sync", entry.part.shownName, problem)
        }
        try name(entry)
        named.append(entry)
      } catch {
        remove(entry)
        onEnd(entry.file, error)
      }
    }
    settle(named, onWarning)
    for entry in named { onEnd(entry.file, nil) }
    self = SmallFileBatch()
  }
}

extension SmallFileBatch {
  private static func hasDigests(_ file: SmallFile) throws(DownloadError) -> Bool {
    guard !file.expected.isEmpty else { return true }
    let digests = try MessageDigests(file.expected.map(\.algorithm))
    file.bytes.withUnsafeBytes { digests.update($0) }
    return digests.finish() == file.expected
  }

  /// Whether there is nothing of an earlier run, or what a killed one left of a small file, and no more than that.
  private static func mayTake(_ part: PartFile, for file: SmallFile) throws(DownloadError) -> Bool {
    guard try file.folder.status(of: file.name + ManifestFile.suffix) == nil else { return false }
    // What has the name of a file whose part is new is seen when the name is given.
    guard !part.isNew else { return true }
    // Another process may have finished the file between our look at its name and our lock on the part.
    if !file.request.replacesExisting, try part.targetExists() { throw file.folder.inTheWay(file.name) }
    return try part.status().size <= SmallFileRule.mostBytes
  }

  /// Where the server has chosen the name, the next run would take a part that nothing is known of for somebody's.
  private static func manifest(of file: SmallFile) throws(DownloadError) -> ManifestFile? {
    guard file.name != file.job.likelyName else { return nil }
    let manifest = ManifestFile(folder: file.folder, name: file.name)
    try manifest.save(Manifest(url: file.request.url.withoutSecrets), ticket: manifest.ticket(), synced: false)
    return manifest
  }

  /// What went wrong, by the files' numbers. A failed sync is never tried again.
  private func makeDurable() -> [Int: Errno] {
    guard entries.count > Self.mostSyncedAlone else { return syncEach(entries) }
    var problems: [Int: Errno] = [:]
    // Folders of one disk are synced together.
    let byFolder = Dictionary(grouping: entries) { ObjectIdentifier($0.file.folder) }
    var synced: [UInt64: Errno?] = [:]
    for entries in byFolder.values {
      let folder = entries[0].file.folder
      guard let disk = try? folder.status().device else {
        problems.merge(syncEach(entries)) { $1 }
        continue
      }
      let problem = synced[disk] ?? Self.sync(folder)
      synced[disk] = problem
      switch problem?.code {
      case nil: continue
      case Errno.noSuchCall.code: problems.merge(syncEach(entries)) { $1 }
      default: for entry in entries { problems[entry.file.number] = problem }
      }
    }
    return problems
  }

  private static func sync(_ folder: Folder) -> Errno? {
    do throws(Errno) {
      try folder.syncDisk()
      return nil
    } catch {
      return error
    }
  }

  private func syncEach(_ entries: [Entry]) -> [Int: Errno] {
    var problems: [Int: Errno] = [:]
    for entry in entries {
      do throws(Errno) { try entry.part.sync() } catch { problems[entry.file.number] = error }
    }
    return problems
  }

  private func name(_ entry: Entry) throws(DownloadError) {
    let file = entry.file
    let hasTwoNames = try entry.part.finish(
      mode: FileMode.finished, modified: file.modified, replacing: file.request.replacesExisting, isDurable: true)
    if hasTwoNames { try entry.part.discard() }
  }

  /// What has no name and never will.
  private func remove(_ entry: Entry) {
    try? entry.part.discard()
    try? entry.manifest?.remove()
  }

  /// The files are there: what is left to do can fail without taking that back.
  private func settle(_ named: [Entry], _ onWarning: (SmallFile, String) -> Void) {
    let folders = Dictionary(named.map { (ObjectIdentifier($0.file.folder), $0) }) { first, _ in first }
    for entry in folders.values {
      do throws(DownloadError) { try entry.part.syncName() } catch { onWarning(entry.file, error.message) }
    }
    for entry in named {
      do throws(DownloadError) { try entry.manifest?.remove() } catch { onWarning(entry.file, error.message) }
    }
  }
}

extension [UInt8] {
  /// As `withUnsafeBytes`, for who throws one kind of error.
  fileprivate func withBytes(_ body: (UnsafeRawBufferPointer) throws(DownloadError) -> Void) throws(DownloadError) {
    var failure: DownloadError?
    withUnsafeBytes { bytes in
      do throws(DownloadError) { try body(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
