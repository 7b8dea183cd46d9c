import DownloadCore
import TestSupport

@testable import DownloadEngine

/// A download in this process, on files in memory, and how it ended.
struct EngineRun {
  let report: DownloadReport?
  let error: DownloadError?

  init(_ request: DownloadRequest, on files: CrashFileSystem) {
    let download = Download(request, signals: SignalSource(), files: files) { _ in }
    do throws(DownloadError) {
      report = try download.run()
      error = nil
    } catch {
      report = nil
      self.error = error
    }
  }
}
