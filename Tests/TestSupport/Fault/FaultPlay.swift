/// Faults for one run of a command, and what became of them.
package final class FaultPlay: Sendable {
  /// What became of one fault.
  package struct Outcome: Sendable {
    /// How many of its calls there were.
    package let seen: Int
    /// How many of them it happened to.
    package let played: Int
    /// The call and the path of the first it happened to; empty if there was none.
    package let first: String
  }

  private let faults: [Fault]
  private let folder: TemporaryFolder

  package init(_ faults: [Fault]) throws {
    self.faults = faults
    folder = try TemporaryFolder()
    try folder.write("", to: "report")
  }

  /// The command with these faults in what it does in a folder, given by its absolute path. Not for a second run.
  package func runner(_ runner: CommandRunner, in place: String) -> CommandRunner {
    var changed = runner
    changed.environment["LD_PRELOAD"] = FaultShim.path
    changed.environment["FAULT_FOLDER"] = place
    changed.environment["FAULT_REPORT"] = folder.path("report")
    changed.environment["FAULT_RULES"] = faults.map(\.rule).joined(separator: ";")
    return changed
  }

  /// What became of each fault. Throws where the command ran without the library.
  package func outcomes() throws -> [Outcome] {
    let bytes = try folder.bytes("report")
    guard bytes.count >= faults.count * Self.size else { throw NotLoaded() }
    return faults.indices.map { index in
      let record = bytes[index * Self.size..<(index + 1) * Self.size]
      return Outcome(
        seen: Self.number(record.prefix(8)), played: Self.number(record.dropFirst(8).prefix(8)),
        first: String(decoding: record.dropFirst(16).prefix { $0 != 0 }, as: UTF8.self))
    }
  }

  /// The library was not there, so nothing has failed.
  package struct NotLoaded: Error {}

  /// Of a `struct report` of the library.
  private static let size = 256

  private static func number(_ bytes: some BidirectionalCollection<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
