import TestSupport

/// What becomes of all that was not synced when the power fails: decided by a seed.
struct Damage: Hashable, Sendable {
  /// How much is kept.
  enum Share: Hashable, Sendable {
    case none, some, all
  }

  /// What becomes of a block.
  enum Fate: Hashable, Sendable {
    case kept, lost
    /// So many of its bytes are new: whole sectors.
    case torn(Int)
  }

  let seed: UInt64
  /// Of blocks, lengths, modes and times.
  let data: Share
  /// Of new, changed and removed names.
  let names: Share

  /// The first ones are extremes and what comes close to them: names whose data was lost, data whose names were lost;
  /// those after them are mixtures.
  init(number: Int, seed: UInt64) {
    self.seed = seed
    switch number {
    case 0: (data, names) = (.none, .all)
    case 1: (data, names) = (.some, .some)
    case 2: (data, names) = (.none, .none)
    case 3: (data, names) = (.some, .all)
    case 4: (data, names) = (.all, .none)
    case 5: (data, names) = (.all, .all)
    default: (data, names) = (.some, .some)
    }
  }

  /// Whether one thing of a kind is kept.
  func keeps(_ share: Share, using random: inout SplitMix64) -> Bool {
    switch share {
    case .none: false
    case .all: true
    case .some: Bool.random(using: &random)
    }
  }

  func fate(using random: inout SplitMix64) -> Fate {
    guard data == .some, Int.random(in: 0..<8, using: &random) == 0 else {
      return keeps(data, using: &random) ? .kept : .lost
    }
    return .torn(512 * Int.random(in: 1..<8, using: &random))
  }

  /// A file's length: the old one, the new one, or one on the way.
  func length(from old: Int64, to new: Int64, using random: inout SplitMix64) -> Int64 {
    guard data == .some, old != new else { return data == .none ? old : new }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return old
    case 1: return new
    default:
      let between = Int64.random(in: min(old, new)...max(old, new), using: &random)
      return between - between % Int64(SparseBytes.blockLength)
    }
  }
}
