import DownloadCore

/// Makes checkpoints durable on a thread of its own: data first, then the manifest that names it.
final class CheckpointWriter {
  private struct State: Sendable {
    var next: (manifest: Manifest, ticket: Int)?
    var isBusy = false
    var error: DownloadError?
    var isStopped = false
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

  /// Takes over a checkpoint; one that still waits is replaced by it.
  func submit(_ manifest: Manifest) {
    let ticket = manifestFile.ticket()
    shared.withLock { $0.next = (manifest, ticket) }
    guard worker == nil else { return }
    let (shared, part, manifestFile, wakeup) = (shared, part, manifestFile, wakeup)
    worker = Worker { Self.run(shared, part, manifestFile, wakeup) }
  }

  /// Throws what a checkpoint failed with. After that nothing since the last good one may be claimed.
  func check() throws(DownloadError) {
    if let error = failure { throw error }
  }

  var failure: DownloadError? { shared.withLock { $0.error } }

  var isIdle: Bool { shared.withLock { !$0.isBusy && $0.next == nil } }

  private static func run(
    _ shared: Monitor<State>, _ part: PartFile, _ manifestFile: ManifestFile, _ wakeup: Wakeup
  ) {
    while let (manifest, ticket) = shared.wait(for: { take(&$0) }) {
      var failure: DownloadError?
      do throws(DownloadError) {
        try save(manifest, ticket, part, manifestFile)
      } catch {
        failure = error
      }
      shared.withLock {
        $0.isBusy = false
        $0.error = $0.error ?? failure
      }
      wakeup.signal()
    }
  }

  /// What to write next; the inner nil ends the thread, the outer one lets it wait.
  private static func take(_ state: inout State) -> (manifest: Manifest, ticket: Int)?? {
    if let next = state.next, state.error == nil {
      state.next = nil
      state.isBusy = true
      return .some(next)
    }
    return state.isStopped || state.error != nil ? .some(nil) : nil
  }

  private static func save(
    _ manifest: Manifest, _ ticket: Int, _ part: PartFile, _ manifestFile: ManifestFile
  ) throws(DownloadError) {
    do throws(Errno) {
      try part.sync()
    } catch {
      throw .local("sync", part.shownName, error)
    }
    try manifestFile.save(manifest, ticket: ticket, synced: true)
  }
}
