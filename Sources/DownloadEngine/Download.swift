package import DownloadCore

/// Fetches one file: probe, plan, transfers, part file, verifier, finished file.
package struct Download {
  package init(_ request: DownloadRequest, signals: SignalSource, onEvent: @escaping (DownloadEvent) -> Void) {}

  /// Runs until the file is complete and verified. Throws what ended it, with the part and its manifest saved.
  package func run() throws(DownloadError) -> DownloadReport {
    throw DownloadError(.unforeseen, "not built")
  }
}
