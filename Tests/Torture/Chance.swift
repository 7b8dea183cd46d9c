internal import TestSupport

/// Choices that follow from a seed.
struct Chance {
  private var generator: SplitMix64

  init(seed: UInt64) {
    generator = SplitMix64(state: seed)
  }

  /// True in so many of a hundred times.
  mutating func odds(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

  /// One of the values, which must not be empty.
  mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &generator)] }

  mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

  mutating func number(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &generator) }

  mutating func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
}
