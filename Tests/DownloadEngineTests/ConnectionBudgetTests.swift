import TestSupport
import Testing

@testable import DownloadEngine

@Suite struct ConnectionBudgetTests {
  private func budget(_ perHost: Int, jobs: Int, waiting: Int = 0) -> ConnectionBudget {
    ConnectionBudget(perHost: perHost, jobs: jobs, wakeup: Wakeup()) { _ in (waiting, waiting) }
  }

  @Test func oneFileHasAll() throws {
    let budget = budget(16, jobs: 3)
    budget.enter("a")
    #expect(try #require(budget.lease("a")).adjust(inUse: 0) == 16)
  }

  @Test func filesThatWaitCountAsWell() throws {
    let budget = budget(16, jobs: 3, waiting: 9)
    budget.enter("a")
    #expect(try #require(budget.lease("a")).adjust(inUse: 0) == 5)
  }

  @Test func aNewcomerWaitsUntilConnectionsAreClosed() throws {
    let budget = budget(8, jobs: 2)
    budget.enter("a")
    let first = try #require(budget.lease("a"))
    #expect(first.adjust(inUse: 8) == 8)
    budget.enter("a")
    budget.wait("a")
    #expect(budget.lease("a") == nil)
    // It is told to have fewer, and none is free before it has.
    #expect(first.adjust(inUse: 8) == 4 && budget.lease("a") == nil)
    #expect(first.adjust(inUse: 6) == 4)
    let second = try #require(budget.lease("a"))
    #expect(second.adjust(inUse: 0) == 2)
    budget.waitNoMore("a")
    #expect(first.adjust(inUse: 4) == 4 && second.adjust(inUse: 2) == 4)
    first.end()
    budget.leave("a")
    #expect(second.adjust(inUse: 4) == 8)
  }

  @Test func allHostsTogetherHaveALimitToo() throws {
    let budget = budget(4, jobs: 2)
    budget.enter("a")
    let first = try #require(budget.lease("a"))
    budget.enter("b")
    #expect(budget.lease("b") == nil)
    #expect(first.adjust(inUse: 1) == 2)
    #expect(try #require(budget.lease("b")).adjust(inUse: 0) == 2)
  }

  /// Whatever is asked for, no host ever has more than its number.
  @Test(arguments: 1...8) func neverTooMany(seed: Int) {
    var random = SplitMix64(state: UInt64(seed))
    let (most, jobs) = (Int.random(in: 1...16, using: &random), Int.random(in: 1...6, using: &random))
    let budget = budget(most, jobs: jobs)
    var leases: [(host: String, lease: ConnectionLease, inUse: Int)] = []
    var singles: [String: Int] = [:]
    for _ in 0..<2000 {
      let host = ["a", "b", "c"].randomElement(using: &random)!
      switch Int.random(in: 0..<5, using: &random) {
      case 0 where leases.count < jobs:
        budget.enter(host)
        if let lease = budget.lease(host) { leases.append((host, lease, 0)) } else { budget.leave(host) }
      case 1:
        if let index = leases.indices.randomElement(using: &random) {
          leases[index].lease.end()
          budget.leave(leases.remove(at: index).host)
        }
      case 2: if budget.takeOne(host) { singles[host, default: 0] += 1 }
      case 3:
        budget.giveBack(singles[host] ?? 0, host)
        singles[host] = nil
      default:
        if let index = leases.indices.randomElement(using: &random) {
          let allowed = leases[index].lease.adjust(inUse: leases[index].inUse)
          leases[index].inUse = Int.random(in: 0...allowed, using: &random)
        }
      }
      for host in ["a", "b", "c"] {
        let open = leases.filter { $0.host == host }.reduce(singles[host] ?? 0) { $0 + $1.inUse }
        #expect(open <= most)
      }
    }
  }
}
