package import Testing

/// Says which rows of the catalogue a test plays; each of its cases counts.
package struct FaultTrait: TestTrait, TestScoping {
  /// The rows.
  package let rows: [FaultRow]

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    if testCase != nil { FaultTable.shared.count(rows) }
    try await function()
  }
}

extension Trait where Self == FaultTrait {
  /// The rows that a test plays, by their names: one that the catalogue does not have ends the run.
  package static func row(_ ids: String...) -> FaultTrait {
    FaultTrait(
      rows: ids.map { id in
        guard let row = FaultRow.all.first(where: { $0.id == id }) else { fatalError("no row \(id) in the catalogue") }
        return row
      })
  }
}
