internal import Glibc
internal import TestSupport

/// One run of the command, and what happens to it.
struct Step {
  /// When something happens to the run.
  enum Moment {
    case time(Double)
    /// Bytes of bodies that the server has sent since the run began.
    case sent(Int64)
    /// Requests that the server has read since the run began.
    case requests(Int)
  }

  /// What happens to the run.
  enum Interruption {
    case signals([Int32], Moment)
    /// Stopped for so many seconds.
    case pause(Moment, Double)
    case terminalCloses(Moment)
  }

  /// What happens to the files before the run.
  enum Tampering: String, CaseIterable {
    case deletePart, cutPart, growPart, flipByte, deleteManifest, spoilManifest, strayNewManifest
  }

  /// The digest that is demanded.
  enum Demand: String {
    case none, right, wrong, older
  }

  let tampering: Tampering?
  /// `swoop resume NAME.part` instead of the URL.
  let resumes: Bool
  let restarts: Bool
  let demand: Demand
  let options: [String]
  let onTerminal: Bool
  let interruption: Interruption?

  init(_ chance: inout Chance, index: Int, length: Int64, isPatient: Bool, demands: [Demand]) {
    tampering = index > 0 && chance.odds(10) ? chance.pick(Tampering.allCases) : nil
    resumes = index > 0 && chance.odds(20)
    restarts = !resumes && chance.odds(6)
    demand = chance.pick(demands)
    options = Self.options(&chance, isPatient: isPatient)
    onTerminal = chance.odds(10)
    interruption = chance.odds(65) ? Self.interruption(&chance, length, onTerminal) : nil
  }

  private static func options(_ chance: inout Chance, isPatient: Bool) -> [String] {
    var options: [String] = []
    if chance.odds(80) { options += ["-n", chance.pick(["1", "2", "3", "4", "8", "16", "64"])] }
    if chance.odds(50) { options += ["--min-split", chance.pick(["1k", "16k", "256k", "1M"])] }
    for option in ["--no-preallocate", "--no-mtime", "-v"] where chance.odds(20) { options.append(option) }
    if chance.odds(15) { options.append("-q") }
    if isPatient { return options }
    let stall = chance.pick(["0.3", "0.5", "1"])
    return options + ["--stall-timeout", stall, "--give-up-after", chance.pick(["2", "3", "4"])]
  }

  private static func interruption(_ chance: inout Chance, _ length: Int64, _ onTerminal: Bool) -> Interruption {
    let moment = moment(&chance, length)
    if onTerminal, chance.odds(50) { return .terminalCloses(moment) }
    switch chance.number(0...9) {
    case 0...4: return .signals([SIGKILL], moment)
    case 5: return .signals([SIGINT], moment)
    case 6: return .signals([SIGTERM], moment)
    case 7: return .signals(chance.pick([[SIGHUP], [SIGINT, SIGINT], [SIGTERM, SIGHUP]]), moment)
    default: return .pause(moment, chance.number(0.05...2.5))
    }
  }

  private static func moment(_ chance: inout Chance, _ length: Int64) -> Moment {
    switch chance.number(0...3) {
    case 0: .time(chance.number(0...2.5))
    case 1: .time(chance.number(0...0.1))
    case 2: .requests(chance.number(1...12))
    default: .sent(chance.number(0...max(1, length)))
    }
  }

  /// The signals that the run may end by.
  var deadly: Set<Int32> {
    switch interruption {
    case .signals(let signals, _): Set(signals)
    case .terminalCloses: [SIGHUP]
    case .pause, nil: []
    }
  }

  var description: String {
    "tampering \(tampering.map(\.rawValue) ?? "-"), resumes \(resumes), demand \(demand), terminal \(onTerminal), "
      + "interruption \(interruption.map { "\($0)" } ?? "-")"
  }
}
