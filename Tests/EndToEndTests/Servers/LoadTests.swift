import FaultCatalogue
import TestSupport
import Testing

/// Servers that have too much to do, or that refuse (T12 to T20, T39).
@Suite(.waiting) struct LoadTests {
  @Test(.row("T12")) func tooManyConnections() throws {
    var settings = ScriptedServer.Settings()
    settings.rate = 2_000_000
    settings.limit = .tooManyRequests(beyond: 2, retryAfter: 1)
    let trial = try Trial(.ten, .file(.ten), settings: settings)
    try trial.expect(trial.run("--give-up-after", "20"), exit: 0, .file)
    let log = trial.server.settledLog()
    #expect(log.maxConcurrentRequests <= 2)
    #expect(log.count(ofStatus: 429) <= 8)
    try trial.expectCleanRerun()
  }

  /// More than so many connections are reset before anything is read.
  @Test func connectionsAreResetBeyondALimit() throws {
    var settings = ScriptedServer.Settings()
    settings.rate = 2_000_000
    settings.limit = .reset(beyond: 2)
    let trial = try Trial(.ten, .file(.ten), settings: settings)
    try trial.expect(trial.run("--give-up-after", "20"), exit: 0, .file)
  }

  /// Every second connection, whatever is asked for on it; and every second request.
  @Test(.row("T13"), arguments: [true, false]) func everySecondIsRefused(isConnection: Bool) throws {
    let trial = try Trial(.ten) { request in
      (isConnection ? request.connection : request.index) % 2 == 1 ? .status(503) : .file(.ten)
    }
    try trial.expect(trial.run("--give-up-after", "20"), exit: 0, .file)
    try trial.expectCleanRerun()
  }

  /// From the first request on.
  @Test(.row("T14"), arguments: [429, 503])
  func refusedForGood(status: Int) throws {
    let trial = try Trial(.ten, .status(status, headers: ["Retry-After": "2"]))
    let result = try trial.run("--give-up-after", "3")
    try trial.expect(result, exit: 4, .nothing, says: "the server answered \(status)")
    let arrivals = trial.server.log.entries.map(\.request.arrival)
    #expect(arrivals.count >= 2)
    for (one, next) in zip(arrivals, arrivals.dropFirst()) { #expect(next - one >= .milliseconds(1990)) }
    try trial.expectCleanRerun()
  }

  @Test(.row("T14"), arguments: [500, 503, 520])
  func refusedForGoodWithoutRetryAfter(status: Int) throws {
    let trial = try Trial(.ten, .status(status))
    let result = try trial.run("--give-up-after", "1")
    try trial.expect(result, exit: 4, .nothing, says: "the server answered \(status)")
    #expect(trial.server.log.entries.count <= 12)
    try trial.expectCleanRerun()
  }

  /// Once some of it is here. The wait that the server asks for is longer than our patience: the request after
  /// it has its chance all the same.
  @Test(arguments: [true, false])
  func refusedLater(isForGood: Bool) throws {
    let began = Monitor<ContinuousClock.Instant?>(nil)
    let trial = try Trial(.ten) { request in
      let isFirst = request.method == "HEAD" || request.indexOfMethod < 4
      if isFirst { return .file(.ten) { if request.method == "GET" { $0.cutAfter = 300_000 } } }
      let since = began.change { began in
        began = began ?? request.arrival
        return began ?? request.arrival
      }
      let isBusy = isForGood || request.arrival - since < .milliseconds(1900)
      return isBusy ? .status(503, headers: ["Retry-After": "2"]) : .file(.ten)
    }
    let result = try trial.run("--give-up-after", "1")
    if isForGood {
      try trial.expect(result, exit: 4, .part, says: "503")
      try trial.expectCleanRerun()
    } else {
      try trial.expect(result, exit: 0, .file)
    }
  }

  /// One after another, and each alone.
  @Test(.row("T16"), arguments: [[500, 502, 504, 408], [500], [502], [504], [408], [425], [522]])
  func eachOnce(statuses: [Int]) throws {
    let trial = try Trial(.ten) { request in
      guard request.method == "GET", request.indexOfMethod < statuses.count else { return .file(.ten) }
      return .status(statuses[request.indexOfMethod])
    }
    try trial.expect(trial.run("--give-up-after", "20"), exit: 0, .file)
    for status in statuses { #expect(trial.server.log.count(ofStatus: status) == 1) }
    try trial.expectCleanRerun()
  }

  @Test(.row("T17", "T19"), arguments: [401, 403, 404, 410, 451])
  func refusedAtTheStart(status: Int) throws {
    let trial = try Trial(.ten, .status(status, text: "go away"))
    let result = try trial.run()
    try trial.expect(result, exit: 4, .nothing, says: "the server answered \(status)")
    // Where HEAD is late, the GET that is refused beside it is sent once more.
    #expect(trial.gets.count <= 2)
    try trial.expectCleanRerun()
  }

  @Test(.row("T18")) func vanishes() throws {
    let trial = try Trial(.ten) { request in
      if request.method == "GET", request.indexOfMethod >= 4 { return .status(404) }
      return .file(.ten) { if request.method == "GET" { $0.cutAfter = 300_000 } }
    }
    try trial.expect(trial.run(), exit: 4, .part, says: "404", "vanished", "kept")
    try trial.expectCleanRerun()
  }

  /// The signature expires under four connections at once; the origin signs again.
  @Test(.row("T20"), arguments: [401, 403, 404, 410])
  func signatureExpires(status: Int) throws {
    let signature = Monitor(0)
    let trial = try Trial(.ten, path: "/file.bin") { request in
      let now = signature.read { $0 }
      if request.path == "/file.bin" { return .redirect(to: "/signed?sig=S3CR3T\(now)") }
      guard request.target.hasSuffix("T\(now)") else { return .status(status) }
      if request.method == "GET", request.indexOfMethod == 5 { signature.change { $0 = 1 } }
      return .file(.ten) { if request.method == "GET", now == 0 { $0.cutAfter = 400_000 } }
    }
    try trial.expect(trial.run(), exit: 0, .file)
    let asked = trial.server.settledLog().entries.filter { $0.request.path == "/file.bin" }
    // HEAD, and no more than each connection once.
    #expect(asked.count >= 2 && asked.count <= 5)
    try trial.expectCleanRerun()
  }

  /// The origin's new address is refused as well: that is the end.
  @Test func signatureIsRefusedForGood() throws {
    let trial = try Trial(.ten) { request in
      if request.path == "/file.bin" { return .redirect(to: "/signed") }
      return request.indexOfMethod < 5 ? .file(.ten) { $0.cutAfter = 400_000 } : .status(403)
    }
    let result = try trial.run()
    try trial.expect(result, exit: 4, .part, says: "403")
  }

  /// As slow over four connections as over one.
  @Test(.row("T39")) func throttlesByAddress() throws {
    var settings = ScriptedServer.Settings()
    settings.totalRate = 5_000_000
    let trial = try Trial(.ten, .file(.ten), settings: settings)
    try trial.expect(trial.run(), exit: 0, .file)
    let log = trial.server.settledLog()
    #expect(log.maxConcurrentConnections <= 4 && log.maxConcurrentRequests <= 4)
    try trial.expectCleanRerun()
  }
}
