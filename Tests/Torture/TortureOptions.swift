internal import Glibc
internal import TestSupport

/// The command line of the torture.
struct TortureOptions {
  static let usage = """
    usage: torture [options]

      --minutes N      end after so many minutes (default 60)
      --cases N        end after so many cases
      --seed S         the first case's seed; the others follow (default: from the time)
      --jobs N         so many cases at a time (default 4)
      --evidence DIR   where a case is left that broke a promise (default: the current folder)
    """

  private(set) var minutes = 60.0
  private(set) var cases = Int.max
  private(set) var seed = UInt64(time(nil))
  private(set) var jobs = 4
  private(set) var evidence = "."

  init(_ words: some Sequence<String>) throws {
    try Service.readOptions(words) { set($0, to: $1) }
  }

  private mutating func set(_ option: String, to value: String) -> Bool {
    switch option {
    case "--minutes":
      minutes = Double(value) ?? 0
      return minutes > 0
    case "--evidence":
      evidence = value
      return !value.isEmpty
    default: return setNumber(option, to: value)
    }
  }

  private mutating func setNumber(_ option: String, to value: String) -> Bool {
    guard let number = UInt64(value) else { return false }
    switch option {
    case "--seed": seed = number
    case "--cases": cases = Int(clamping: number)
    case "--jobs": jobs = max(1, Int(clamping: number))
    default: return false
    }
    return true
  }
}
