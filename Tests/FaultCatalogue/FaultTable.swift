internal import Glibc
internal import Synchronization

/// Which rows were played in this process, and how often. Printed when the process ends, so that a run's own output
/// says what it has covered.
package final class FaultTable: Sendable {
  package static let shared = FaultTable()

  private struct State {
    var cases: [String: Int] = [:]
    var isAnnounced = false
  }

  private let state = Mutex(State())

  /// Counts a case of these rows.
  package func count(_ rows: [FaultRow]) {
    let isFirst = state.withLock { state in
      for row in rows { state.cases[row.id, default: 0] += 1 }
      defer { state.isAnnounced = true }
      return !state.isAnnounced
    }
    if isFirst { atexit { FaultTable.shared.show() } }
  }

  private func show() {
    for line in text { print(line) }
    fflush(nil)
  }

  /// A line for each group, and one for each row that was not played.
  package var text: [String] {
    let cases = state.withLock { $0.cases }
    var lines = ["Faults played:"]
    for (letter, name) in FaultRow.groups {
      let rows = FaultRow.all.filter { $0.group == letter }
      let played = rows.filter { cases[$0.id] != nil }
      let count = played.reduce(0) { $0 + (cases[$1.id] ?? 0) }
      lines.append("  \(letter)  \(played.count) of \(rows.count) rows, \(count) cases: \(name)")
    }
    let skipped = FaultRow.all.filter { cases[$0.id] == nil }
    lines.append("  \(FaultRow.all.count - skipped.count) of \(FaultRow.all.count) rows, \(skipped.count) skipped")
    // After a run of some tests only that would be a list of nearly all.
    guard skipped.count <= Self.mostNamed else { return lines }
    return lines + skipped.map { "  skipped: \($0.id) \($0.fault)" }
  }

  private static let mostNamed = 40
}
