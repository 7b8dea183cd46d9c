internal import TestSupport

/// What all cases together have come to.
final class Tally: Sendable {
  private struct State: Sendable {
    var next: UInt64
    var left: Int
    var cases = 0
    var codes: [Int32: Int] = [:]
    var isBroken = false
  }

  private let state: Monitor<State>
  private let deadline: ContinuousClock.Instant

  init(_ options: TortureOptions) {
    state = Monitor(State(next: options.seed, left: options.cases))
    deadline = .now + .seconds(options.minutes * 60)
  }

  /// The next case's seed; nil when it is time to end.
  func next() -> UInt64? {
    state.change { state in
      guard !state.isBroken, state.left > 0, .now < deadline else { return nil }
      state.left -= 1
      state.next &+= 1
      return state.next &- 1
    }
  }

  /// A case has ended well.
  func add(_ codes: [Int32]) {
    state.change { state in
      state.cases += 1
      for code in codes { state.codes[code, default: 0] += 1 }
    }
  }

  /// A case has not: no other begins.
  func end() { state.change { $0.isBroken = true } }

  var isBroken: Bool { state.read(\.isBroken) }

  var description: String {
    state.read { state in
      let codes = state.codes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      let runs = state.codes.values.reduce(0, +)
      return "\(state.cases) cases, \(runs) runs; ends by code: \(codes.joined(separator: ", "))"
    }
  }
}
