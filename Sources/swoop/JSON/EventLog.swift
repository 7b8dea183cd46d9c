internal import DownloadEngine
internal import Synchronization

/// The lines of `--progress json`: one JSON object each.
final class EventLog: Sendable {
  /// That of the process.
  static let standardError = EventLog(began: MonotonicClock.seconds())

  /// What the events' members mean. A higher version may take away or change; the same one only adds.
  static let version: Int64 = 1

  /// In seconds, on the clock that times are given on.
  private let began: Double
  private let hasBegun = Mutex(false)

  init(began: Double) { self.began = began }

  /// The line of an event, its end included; the first has the version. `file` is the place among the files, from 0.
  func line(_ event: String, of file: Int? = nil, at time: Double, _ members: [JSONMember]) -> String {
    let isFirst = hasBegun.withLock { hasBegun in
      defer { hasBegun = true }
      return !hasBegun
    }
    var all = [JSONMember("event", .string(event)), JSONMember("time", .seconds(max(0, time - began)))]
    if isFirst { all.insert(JSONMember("version", .integer(Self.version)), at: 0) }
    if let file { all.append(JSONMember("file", .integer(Int64(file) + 1))) }
    return JSONValue.object(all + members).text + "\n"
  }
}
