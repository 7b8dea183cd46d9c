import Testing

/// A promise of how fast something is, on a machine that may be busy.
enum TimePromise {
  /// Within this time a signal ends a run.
  static let signal = Duration.seconds(1)

  /// Tries up to three times: one late try may be the machine's fault, that of all of them is not. `attempt` returns
  /// the time that it took.
  static func expect(
    within bound: Duration, location: SourceLocation = #_sourceLocation, _ attempt: () throws -> Duration
  ) rethrows {
    var times: [Duration] = []
    repeat { times.append(try attempt()) } while times.count < 3 && times.allSatisfy { $0 > bound }
    #expect(times.contains { $0 <= bound }, "\(times)", sourceLocation: location)
  }
}
