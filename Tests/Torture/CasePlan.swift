internal import TestSupport

/// Everything about a case that follows from its seed.
struct CasePlan {
  /// Where the file goes: the words that say so, and its path below the folder of the run.
  struct Target {
    let options: [String]
    let name: String
    let folder: String?
  }

  let seed: UInt64
  let file: ServedFile
  let server: ServerCharacter
  let path: PathPlan
  let target: Target
  /// Another file has the name already.
  let isTaken: Bool
  /// Whether that is to be replaced.
  let forces: Bool
  let algorithm: String
  let steps: [Step]

  init(seed: UInt64) {
    var chance = Chance(seed: seed)
    self.seed = seed
    file = ServedFile(&chance, seed: seed)
    server = ServerCharacter(&chance, seed: seed, length: file.longest)
    let mayClose = !server.faults.contains(.closeDelimited)
    path = PathPlan(&chance, seed: seed, length: file.longest, mayClose: mayClose)
    target = chance.pick([
      Target(options: [], name: "file.bin", folder: nil),
      Target(options: ["-o", "out.bin"], name: "out.bin", folder: nil),
      Target(options: ["-d", "sub"], name: "file.bin", folder: "sub"),
      Target(options: ["-o", "sub/out.bin"], name: "out.bin", folder: "sub"),
    ])
    isTaken = chance.odds(5)
    forces = chance.odds(isTaken ? 50 : 5)
    algorithm = chance.pick(["md5", "sha1", "sha256", "sha512"])
    let isPatient = server.codes.isEmpty && !path.isBad
    let demands = Self.demands(&chance, hasChanges: file.hasChanges)
    var steps: [Step] = []
    for index in 0..<chance.number(1...4) {
      steps.append(
        Step(&chance, index: index, length: file.versions[0].length, isPatient: isPatient, demands: demands))
    }
    self.steps = steps
  }

  private static func demands(_ chance: inout Chance, hasChanges: Bool) -> [Step.Demand] {
    switch chance.number(0...9) {
    case 0...4: [.none]
    case 5...7: [.right, .right, .none]
    case 8: [.right, .wrong, .none]
    default: hasChanges ? [.older, .right, .none] : [.right]
    }
  }

  /// The codes that a run may end with because of the server or the path; 0 is always one.
  var codes: Set<Int32> {
    // An empty answer is not believed where HEAD tells a length of the same version.
    let isDenied = server.head == .wrong && file.versions.contains { $0.length == 0 }
    // What is late on both counts may never come within the stall time.
    let isLate = path.isBad || (path.isLong && server.delays)
    return server.codes.union(isLate ? [3] : []).union(file.changesInRuns ? [6] : []).union(isDenied ? [4] : [])
  }

  /// Whether no run need fetch anything again that was claimed to be here.
  var isHonest: Bool { server.isHonest && !file.hasChanges && file.naming != .nothing }

  var description: String {
    (["case \(seed)", "file: \(file.description)", "server: \(server.description)", "path: \(path.description)"]
      + ["target: \(target.options) \(isTaken ? "taken" : "free")\(forces ? " --force" : ""), \(algorithm)"]
      + steps.map { "run: \($0.description)" }).joined(separator: "\n")
  }
}
