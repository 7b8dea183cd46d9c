import DownloadCore
import Testing

/// How long a download may go on without progress.
@Suite struct ProgressBudgetTests {
  @Test func isSpentAfterItsTime() {
    let budget = ProgressBudget(patience: 10, length: 100 << 20, at: 5)
    #expect(!budget.isSpent(at: 14.9))
    #expect(budget.isSpent(at: 15))
  }

  @Test func enoughNewBytesRefillIt() {
    var budget = ProgressBudget(patience: 10, length: 100 << 20, at: 0)
    budget.reached(256 << 10, at: 9)
    #expect(!budget.isSpent(at: 18))
    #expect(budget.isSpent(at: 19))
  }

  /// 256 KiB, or 1 % where that is less; what comes in between adds up.
  @Test(arguments: [(nil, 262_144), (1 << 40, 262_144), (1_000_000, 10_000), (10, 1), (0, 1)] as [(Int64?, Int64)])
  func whatCounts(length: Int64?, worth: Int64) {
    var budget = ProgressBudget(patience: 10, length: length, at: 0)
    budget.reached(worth - 1, at: 9)
    #expect(budget.isSpent(at: 10))
    budget.reached(worth, at: 9.5)
    #expect(!budget.isSpent(at: 19))
  }

  /// A body that begins again brings nothing new until it has come further than ever before.
  @Test func theSameBytesAgainAreNoProgress() {
    var budget = ProgressBudget(patience: 10, length: nil, at: 0)
    budget.reached(5 << 20, at: 1)
    for second in 2..<11 {
      budget.reached(0, at: Double(second))
      budget.reached(5 << 20, at: Double(second))
    }
    #expect(budget.isSpent(at: 11))
    budget.reached(6 << 20, at: 11)
    #expect(!budget.isSpent(at: 20))
  }

  @Test func whatWasHereBeforeDoesNotCount() {
    var budget = ProgressBudget(patience: 10, length: 100 << 20, done: 50 << 20, at: 0)
    budget.reached(50 << 20, at: 5)
    #expect(budget.isSpent(at: 10))
  }

  /// Without ranges what is here comes again before what is missing does: once.
  @Test func aWholeBodyThatComesFurtherThanEverIsProgress() {
    var budget = ProgressBudget(patience: 10, length: 100 << 20, done: 50 << 20, at: 0)
    budget.passed(20 << 20, at: 9)
    #expect(!budget.isSpent(at: 18))
    budget.passed(1 << 20, at: 18)
    budget.passed(20 << 20, at: 18)
    #expect(budget.isSpent(at: 19))
  }

  @Test func fetchingDamagedBytesAgainIsProgress() {
    var budget = ProgressBudget(patience: 10, length: 100 << 20, done: 50 << 20, at: 0)
    budget.lost(leaving: 40 << 20)
    budget.reached(41 << 20, at: 5)
    #expect(!budget.isSpent(at: 10))
  }
}
