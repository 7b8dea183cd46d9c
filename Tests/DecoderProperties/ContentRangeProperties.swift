internal import DownloadCore

/// A Content-Range that is accepted lies within its file, and says the same when it is written as the RFC has it.
enum ContentRangeProperties {
  static func check(_ text: String) throws(BrokenProperty) {
    guard let value = ContentRange(text) else { return }
    try require(value.range != nil || value.total != nil, "neither range nor total: \(text)")
    if let range = value.range {
      try require(0 <= range.start && range.start < range.end, "\(range) of \(text)")
      try require(range.end <= value.total ?? .max, "\(range) beyond \(text)")
    }
    try require((value.total ?? 0) >= 0, "a total below 0: \(text)")
    let range = value.range.map { "\($0.start)-\($0.end - 1)" } ?? "*"
    let written = "bytes \(range)/\(value.total.map { "\($0)" } ?? "*")"
    try require(ContentRange(written) == value, "\(text) is not \(written)")
    let numbers = written.split { !$0.isNumber }
    try require(numbers.allSatisfy { text.contains($0) }, "numbers that \(text) does not hold: \(written)")
  }
}
