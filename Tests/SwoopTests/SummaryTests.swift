import DownloadCore
import Testing

@testable import swoop

@Suite struct SummaryTests {
  private static let length: Int64 = 5_798_205_850  // 5.4 GiB

  private func saved(_ change: (inout DownloadReport) -> Void = { _ in }) -> String {
    var report = DownloadReport(outcome: .saved, path: "ubuntu.iso", bytes: Self.length)
    report.seconds = 72
    report.connections = 8
    change(&report)
    return Diagnostics.note(report.summary ?? "")
  }

  @Test func savedAndVerified() {
    #expect(
      saved { $0.verified = [.md5] }
        == "swoop: saved ubuntu.iso (5.4 GiB in 1m 12s, 77 MiB/s, 8 connections), md5 verified")
  }

  @Test func savedOnly() {
    #expect(saved { $0.connections = 1 }.hasSuffix("77 MiB/s, 1 connection), not verified"))
  }

  @Test func severalDigests() {
    #expect(saved { $0.verified = [.md5, .sha256] }.hasSuffix(", md5 and sha256 verified"))
  }

  @Test func caveats() {
    #expect(saved { $0.caveats = [.lengthUnverified] }.hasSuffix(", not verified, length unverified"))
    #expect(saved { $0.caveats = [.identityUnverified] }.hasSuffix(", not verified, identity unverified"))
    let unauthenticated = saved {
      $0.verified = [.sha256]
      $0.caveats = [.digestNotAuthenticated]
    }
    #expect(unauthenticated.hasSuffix(", sha256 verified, digest not authenticated"))
  }

  @Test func resumed() {
    let text = saved { $0.resumed = 1_288_490_189 }
    #expect(text.contains("58 MiB/s") == false)
    #expect(text.contains("60 MiB/s, 8 connections, resumed from 1.2 GiB)"))
  }

  @Test func nothingLeftToFetch() {
    let text = saved {
      $0.resumed = Self.length
      $0.connections = 0
      $0.seconds = 0
    }
    #expect(text == "swoop: saved ubuntu.iso (5.4 GiB in 0.001s, resumed from 5.4 GiB), not verified")
  }

  @Test func alreadyComplete() {
    var report = DownloadReport(outcome: .alreadyComplete, path: "ubuntu.iso", bytes: Self.length)
    #expect(report.summary == "ubuntu.iso is already complete (5.4 GiB), not verified")
    report.verified = [.sha256]
    #expect(report.summary == "ubuntu.iso is already complete (5.4 GiB), sha256 verified")
  }

  @Test func aPlanIsAResult() {
    var report = DownloadReport(outcome: .planned, path: "a", bytes: 1024)
    report.plan = "would fetch 1.0 KiB to a\u{1B}"
    #expect(report.summary == nil)
    #expect(report.result(ofDryRun: true) == "would fetch 1.0 KiB to a\\u{1B}\n")
    report.outcome = .saved
    #expect(report.result(ofDryRun: false) == nil)
  }

  @Test(arguments: [(0.004, "in 0.004s, 8 connections"), (0.01, "in 0.01s, 540 GiB/s")])
  func instantsHaveNoSpeed(seconds: Double, words: String) {
    #expect(saved { $0.seconds = seconds }.contains(words))
  }

  @Test func namesCannotMoveTheCursor() {
    let report = DownloadReport(outcome: .saved, path: "a\u{1B}]0;x\u{7}\n\u{202E}", bytes: 1)
    let line = Diagnostics.note(report.summary ?? "")
    #expect(line.unicodeScalars.allSatisfy { !$0.isHidden })
  }

  @Test(
    arguments: [
      (Failure.unforeseen, 1), (.usage, 2), (.network, 3), (.refused, 4), (.digestMismatch, 5), (.remoteChanged, 6),
      (.local, 7), (.tls, 8), (.locked, 9), (.targetExists, 10), (.manifestUnusable, 11), (.interrupted(15), 143),
    ] as [(Failure, Int32)])
  func exitCodes(failure: Failure, code: Int32) {
    #expect(failure.exitCode == code)
  }
}
