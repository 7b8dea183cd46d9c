import FaultCatalogue
import FoundationEssentials
import Testing

/// The catalogue of faults and the tests that play it.
@Suite(.waiting) struct CatalogueTests {
  /// A claim in a test's source: `.row(` and names in quotes.
  private static func claims(in source: String) -> [String] {
    source.split(separator: ".row(", omittingEmptySubsequences: false).dropFirst().flatMap { rest in
      rest.prefix { $0 != ")" }.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
  }

  /// Every test source of the package, but for this one.
  private static func sources() throws -> [String] {
    let here = URL(filePath: #filePath)
    let tests = here.deletingLastPathComponent().deletingLastPathComponent()
    let paths = try FileManager.default.subpathsOfDirectory(atPath: tests.path)
    return try paths.filter { $0.hasSuffix("Tests.swift") && !$0.hasSuffix(here.lastPathComponent) }.map {
      String(decoding: try Data(contentsOf: tests.appending(path: $0)), as: UTF8.self)
    }
  }

  @Test func everyRowIsClaimed() throws {
    let claimed = try Set(Self.sources().flatMap(Self.claims))
    let unclaimed = FaultRow.all.filter { !claimed.contains($0.id) }
    #expect(unclaimed.isEmpty, "no test plays \(unclaimed.map { "\($0.id) (\($0.fault))" })")
  }

  @Test func claimsAreFound() {
    let source = #"@Test(.row("A01", "B02"), arguments: ["C03"]) @Test(.row("D04"))"#
    #expect(Self.claims(in: source) == ["A01", "B02", "D04"])
    #expect(Self.claims(in: "@Test func row() {}").isEmpty)
  }

  /// A run that had to play every row fails for each that it has not.
  @Test func rowsThatWereNotPlayedAreNamed() {
    let table = FaultTable()
    let (last, rest) = (FaultRow.all.suffix(2), FaultRow.all.dropLast(2))
    table.count(Array(rest))
    #expect(table.skipped.map(\.id) == last.map(\.id))
    #expect(table.complaint == "✘ Faults that no test has played: \(last.map(\.id).joined(separator: ", "))")
    #expect(table.text.suffix(2) == last.map { "  skipped: \($0.id) \($0.fault)" })
    table.count(Array(last))
    #expect(table.skipped.isEmpty && table.complaint == nil)
  }

  @Test func rowsHaveNamesOfTheirOwn() {
    #expect(Set(FaultRow.all.map(\.id)).count == FaultRow.all.count)
    #expect(FaultRow.all.allSatisfy { row in FaultRow.groups.contains { $0.letter == row.group } })
  }
}
