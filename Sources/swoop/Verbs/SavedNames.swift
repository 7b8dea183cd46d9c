internal import DownloadCore

/// The files that one command has saved or found complete: two of its URLs may get the same name from their servers,
/// and the second is then not the first one's file.
struct SavedNames {
  /// By folder, as typed.
  private var names: [String: Set<String>] = [:]

  func names(in folder: String) -> Set<String> { names[folder] ?? [] }

  /// Notes the file of a report; what was only planned, or sent on, is not there.
  mutating func note(_ report: DownloadReport, in folder: String) {
    guard [.saved, .alreadyComplete].contains(report.outcome) else { return }
    let name = report.path.lastIndex(of: "/").map { report.path[report.path.index(after: $0)...] } ?? report.path[...]
    names[folder, default: []].insert(String(name))
  }
}
