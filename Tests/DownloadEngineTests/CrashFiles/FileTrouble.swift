import Glibc
import Synchronization

/// What is to go wrong in a run. Calls are counted from 1.
enum FileTrouble: Sendable {
  case none
  /// A call, counted among those of its kind, does nothing but fail, and where `forEver` all calls after it as well. How
  /// often data is written is the network's affair: counted with the writes, another call could be met twice or never.
  case failure(FileCall, at: Int, forEver: Bool, ErrorTurns)
  /// The power fails: a call has had its effect, and no other has one after it.
  case crash(after: Int)
  /// Every second call is interrupted by a signal, and what is read and written comes in pieces.
  case interruptions
}

/// Error numbers, each of which gets its turn at each kind of call.
final class ErrorTurns: Sendable {
  /// What file systems fail with.
  static let codes = [EIO, ENOSPC, EDQUOT, EROFS, ESTALE, EFBIG, EPERM]

  private let codes: [Int32]
  private let turns = Mutex<[FileCall: Int]>([:])

  init(_ codes: [Int32] = ErrorTurns.codes) { self.codes = codes }

  func next(for call: FileCall) -> Int32 {
    turns.withLock { turns in
      turns[call, default: 0] += 1
      return codes[(turns[call, default: 0] - 1) % codes.count]
    }
  }

  /// Kinds of calls that have failed with every one of the numbers.
  var finished: Set<FileCall> { turns.withLock { Set($0.filter { $0.value >= codes.count }.keys) } }
}
