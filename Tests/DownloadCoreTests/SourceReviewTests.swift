import DownloadCore
import Testing

/// Which mirrors are named when the file is complete.
struct SourceReviewTests {
  private static func review(
    asked: Double, silent: Double, isTrusted: Bool = true, brought: Int64 = 0, all: Int64 = 1_000_000, sources: Int = 2,
    trouble: String? = nil
  ) -> String? {
    SourceReview(
      asked: asked, silent: silent, isTrusted: isTrusted, brought: brought, all: all, sources: sources, trouble: trouble
    ).complaint
  }

  @Test func whoDidHisPartIsNotNamed() {
    #expect(Self.review(asked: 9, silent: 0, brought: 500_000) == nil)
    // The slowest of several, which did what it could.
    #expect(Self.review(asked: 9, silent: 1, brought: 20_000, sources: 3) == nil)
    // There was no time for more.
    #expect(Self.review(asked: 0.5, silent: 0.5) == nil)
    #expect(Self.review(asked: 0.9, silent: 0.9, isTrusted: false) == nil)
    #expect(Self.review(asked: 2.9, silent: 2.9) == nil)
  }

  @Test func silenceIsNamed() {
    #expect(Self.review(asked: 2, silent: 2, isTrusted: false) == "no byte for 2 s")
    #expect(Self.review(asked: 9, silent: 8, brought: 100) == "no byte for 8 s")
  }

  /// One that did its part until it died, and was tried again and again.
  @Test func deathIsNamed() {
    let words = "connection refused"
    #expect(Self.review(asked: 9, silent: 4, brought: 500_000, trouble: words) == words)
    #expect(Self.review(asked: 9, silent: 4, isTrusted: false, trouble: words) == words)
    #expect(Self.review(asked: 9, silent: 0.5, brought: 500_000, trouble: words) == nil)
    #expect(Self.review(asked: 9, silent: 4, brought: 500_000) == nil)
  }

  @Test func slownessIsNamed() {
    #expect(Self.review(asked: 9, silent: 0.1, brought: 9_999) == "it is too slow: 9999 bytes of the file in 9 s")
    #expect(Self.review(asked: 9, silent: 0.1, brought: 10_000) == nil)
    let words = "it is too slow: not even what is compared first in 5 s"
    #expect(Self.review(asked: 5, silent: 0.1, isTrusted: false) == words)
  }
}
