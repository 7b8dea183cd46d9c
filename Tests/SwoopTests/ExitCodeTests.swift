import DownloadCore
import TestSupport
import Testing

@testable import swoop

@Suite struct ExitCodeTests {
  private static let failures: [Failure] = [
    .unforeseen, .usage, .network, .refused, .digestMismatch, .remoteChanged, .local, .tls, .locked, .targetExists,
    .manifestUnusable,
  ]

  @Test func everyFailureIsInTheTable() {
    let codes = ExitCode.all.map(\.code)
    #expect(codes == ["0"] + Self.failures.map { "\($0.exitCode)" } + ["128+n", "141"])
    #expect(Failure.interrupted(2).exitCode == 130 && DownloadError.readerGone.failure.exitCode == 141)
  }

  /// Row for row, but for the marks of code.
  @Test func readmeHasTheTable() throws {
    let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
    let content = try Content.file("\(root)/README.md")
    let readme = String(decoding: try content.bytes(in: 0..<content.length), as: UTF8.self)
    let section = try #require(readme.firstRange(of: "\n## Exit codes\n"))
    let rows = readme[section.upperBound...].split(separator: "\n").prefix { !$0.hasPrefix("## ") }
      .filter { $0.hasPrefix("| ") }.dropFirst()
      .map { row in
        row.replacing("`", with: "").split(separator: "|").map { $0.trimmingPrefix(while: \.isWhitespace) }
          .map { String($0.last?.isWhitespace == true ? $0.dropLast() : $0) }
      }
    #expect(rows == ExitCode.all.map { [$0.code, $0.meaning, $0.leavings] })
  }

  @Test func helpHasTheTable() {
    for code in ExitCode.all { #expect(Help.full.contains(" \(code.code)  \(code.meaning)\n")) }
  }
}
