/// What a preloaded library does to some calls of a command: a rule, as Tests/FaultShim/fault.h has them.
package struct Fault: Sendable {
  /// What happens to a call.
  package enum Effect: Sendable {
    /// It fails with this number, errno(3).
    case error(Int32)
    /// A write takes one byte of what it was given.
    case oneByte
    /// A write takes half of what it was given.
    case half
    /// A bit of what was written is another one on the disk.
    case flippedBit
    /// Three of four calls are interrupted.
    case interruptions
    /// The file system tells of more room than there is.
    case roomier
    /// It is so many seconds late, and goes on.
    case wait(seconds: Int)
    /// The wall clock jumps by so many seconds, and the call goes on.
    case clock(seconds: Int64)
  }

  /// The calls, by the C library's names; none for all calls of files. `malloc` stands for its whole family.
  package var calls: [String]
  /// How the paths end; `*` for all in the folder, `.` for the folder itself.
  package var names = "*"
  /// The first of these calls to which it happens, counted from 1.
  package var first = 1
  /// To how many calls it happens; 0 for ever.
  package var count = 1
  /// What happens.
  package var effect: Effect

  package init(_ calls: String..., names: String = "*", first: Int = 1, count: Int = 1, _ effect: Effect) {
    self.calls = calls
    self.names = names
    self.first = first
    self.count = count
    self.effect = effect
  }

  /// The library's words for it.
  var rule: String { "\(calls.isEmpty ? "*" : calls.joined(separator: ",")) \(names) \(first) \(count) \(effect.word)" }
}

extension Fault.Effect {
  fileprivate var word: String {
    switch self {
    case .error(let code): "errno=\(code)"
    case .oneByte: "one"
    case .half: "half"
    case .flippedBit: "flip"
    case .interruptions: "storm"
    case .roomier: "roomy"
    case .wait(let seconds): "wait=\(seconds)"
    case .clock(let seconds): "clock=\(seconds)"
    }
  }
}
