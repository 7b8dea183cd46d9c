import DownloadCore

/// Makes checkpoints durable on a thread of its own: data first, then the manifest that names it.
final class CheckpointWriter {
  /// What is to be written.
  private struct Checkpoint: Sendable {
    let manifest: Manifest
    let ticket: Int
    /// The manifest is to be saved before the data as well.
    let isAhead: Bool

    /// Not to be believed unseen.
    var doubted: Manifest {
      var doubted = manifest
      doubted.boot = nil
      return doubted
    }
  }

  private struct State: Sendable {
    var next: Checkpoint?
    var isBusy = false
    var error: DownloadError?
    var isStopped = false
    /// Why the last manifest could not be saved although the data is safe; nil where it was.
    var unsaved: DownloadError?
    /// The last one that is on the disk with all that it names.
    var durable: (manifest: Manifest, ticket: Int)?
    /// Those up to this ticket do not count any more.
    var forgotten = 0
  }

  private let shared = Monitor(State())
  private let manifestFile: ManifestFile
  private var worker: Worker?
  private let part: PartFile
  private let wakeup: Wakeup

  init(part: PartFile, manifestFile: ManifestFile, wakeup: Wakeup) {
    self.part = part
    self.manifestFile = manifestFile
    self.wakeup = wakeup
  }

  /// Stops the thread when it has done what it was given. One that is busy with a slow disk is not waited for.
  deinit {
    let isIdle = shared.withLock { state in
      state.isStopped = true
      return !state.isBusy && state.next == nil
    }
    guard let worker = worker.take() else { return }
    if isIdle { worker.join() } else { worker.detach() }
  }

  /// Takes over a checkpoint; one that still waits is replaced by it. `ahead`: the manifest is saved before the data as
  /// well, as one of which every segment must be compared: syncs fail, and what they drop is not there any more.
  func submit(_ manifest: Manifest, ahead: Bool = false) {
    let checkpoint = Checkpoint(manifest: manifest, ticket: manifestFile.ticket(), isAhead: ahead)
    shared.withLock { $0.next = checkpoint }
    guard worker == nil else { return }
    let (shared, part, manifestFile, wakeup) = (shared, part, manifestFile, wakeup)
    // Where there is no thread left, the checkpoint takes its time here.
    worker = try? Worker { Self.run(shared, part, manifestFile, wakeup) }
    if worker == nil { Self.writeNext(shared, part, manifestFile, wakeup) }
  }

  /// Throws where data could not be made durable. After that nothing since the last good checkpoint may be claimed.
  func check() throws(DownloadError) {
    if let error = failure { throw error }
  }

  /// Why the last manifest could not be saved although the data is safe. The one before it is still there, and what it
  /// claims is true: on a disk that has filled up, a download whose room is reserved can go on.
  var unsaved: DownloadError? { shared.withLock { $0.unsaved } }

  var failure: DownloadError? { shared.withLock { $0.error } }

  /// The last checkpoint that is on the disk with all that it names; nil where this run made none.
  var durable: Manifest? { shared.withLock { $0.durable?.manifest } }

  /// What was written so far, and what is under way, is of a version that does not count any more.
  func forget() {
    let ticket = manifestFile.ticket()
    shared.withLock { state in
      state.durable = nil
      state.forgotten = ticket
    }
  }

  /// After a failure nothing is written any more.
  var isIdle: Bool { shared.withLock { !$0.isBusy && ($0.next == nil || $0.error != nil) } }

  private static func run(
    _ shared: Monitor<State>, _ part: PartFile, _ manifestFile: ManifestFile, _ wakeup: Wakeup
  ) {
    while writeNext(shared, part, manifestFile, wakeup) {}
  }

  /// Waits for a checkpoint and writes it. False where there will be none.
  @discardableResult
  private static func writeNext(
    _ shared: Monitor<State>, _ part: PartFile, _ manifestFile: ManifestFile, _ wakeup: Wakeup
  ) -> Bool {
    guard let checkpoint = shared.wait(for: { take(&$0) }) else { return false }
    let (manifest, ticket) = (checkpoint.manifest, checkpoint.ticket)
    // Where no manifest can be saved, the file that is complete still can.
    if checkpoint.isAhead { _ = try? save(checkpoint.doubted, ticket, part, manifestFile) }
    var failure: DownloadError?
    var unsaved: DownloadError?
    var isSaved = false
    do throws(DownloadError) { try sync(part) } catch { failure = error }
    if failure == nil {
      do throws(DownloadError) {
        isSaved = try save(manifest, ticket, part, manifestFile)
      } catch {
        unsaved = error
      }
    }
    shared.withLock {
      $0.isBusy = false
      $0.error = $0.error ?? failure
      $0.unsaved = unsaved
      if isSaved, ticket > $0.forgotten { $0.durable = (manifest, ticket) }
    }
    wakeup.signal()
    return true
  }

  /// What to write next; the inner nil ends the thread, the outer one lets it wait.
  private static func take(_ state: inout State) -> Checkpoint?? {
    if let next = state.next, state.error == nil {
      state.next = nil
      state.isBusy = true
      return .some(next)
    }
    return state.isStopped || state.error != nil ? .some(nil) : nil
  }

  /// Never over the manifest of another run, whose part has the name now.
  private static func save(
    _ manifest: Manifest, _ ticket: Int, _ part: PartFile, _ manifestFile: ManifestFile
  ) throws(DownloadError) -> Bool {
    try part.checkName()
    return try manifestFile.save(manifest, ticket: ticket, synced: true)
  }

  private static func sync(_ part: PartFile) throws(DownloadError) {
    do throws(Errno) {
      try part.sync()
    } catch {
      throw .local("sync", part.shownName, error)
    }
  }
}
