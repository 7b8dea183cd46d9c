internal import Glibc
internal import Synchronization

/// Which rows were played in this process, and how often. Printed when the process ends, so that a run's own output
/// says what it has covered. Where `SWOOP_ALL_FAULTS` is 1, a row that was not played makes the run fail.
package final class FaultTable: Sendable {
  /// That of this process.
  package static let shared: FaultTable = {
    atexit { FaultTable.shared.show() }
    return FaultTable()
  }()

  private let cases = Mutex<[String: Int]>([:])

  /// Of a run that has played nothing yet.
  package init() {}

  /// Counts a case of these rows.
  package func count(_ rows: [FaultRow]) {
    cases.withLock { cases in
      for row in rows { cases[row.id, default: 0] += 1 }
    }
  }

  private func show() {
    for line in text { print(line) }
    let complaint = getenv("SWOOP_ALL_FAULTS").map { String(cString: $0) } == "1" ? complaint : nil
    if let complaint { print(complaint) }
    fflush(nil)
    // The run is at its end already: only its exit code can still tell.
    if complaint != nil { _exit(1) }
  }

  /// The rows that were not played.
  package var skipped: [FaultRow] {
    let cases = cases.withLock { $0 }
    return FaultRow.all.filter { cases[$0.id] == nil }
  }

  /// What a run says that had to play every row and has not; nil where it has.
  package var complaint: String? {
    let ids = skipped.map(\.id)
    return ids.isEmpty ? nil : "✘ Faults that no test has played: \(ids.joined(separator: ", "))"
  }

  /// A line for each group, and one for each row that was not played.
  package var text: [String] {
    let (cases, skipped) = (cases.withLock { $0 }, skipped)
    var lines = ["Faults played:"]
    for (letter, name) in FaultRow.groups {
      let rows = FaultRow.all.filter { $0.group == letter }
      let played = rows.filter { cases[$0.id] != nil }
      let count = played.reduce(0) { $0 + (cases[$1.id] ?? 0) }
      lines.append("  \(letter)  \(played.count) of \(rows.count) rows, \(count) cases: \(name)")
    }
    lines.append("  \(FaultRow.all.count - skipped.count) of \(FaultRow.all.count) rows, \(skipped.count) skipped")
    // After a run of some tests only that would be a list of nearly all.
    guard skipped.count <= Self.mostNamed else { return lines }
    return lines + skipped.map { "  skipped: \($0.id) \($0.fault)" }
  }

  private static let mostNamed = 40
}
