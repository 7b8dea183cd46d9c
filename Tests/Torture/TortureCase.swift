internal import Glibc
internal import TestSupport

/// A case as it is played: one server, one folder, and runs of the command.
final class TortureCase {
  private struct Stage: Sendable {
    var run = 0
    var isHealed = false
  }

  let plan: CasePlan
  let folder: TemporaryFolder
  let server: ScriptedServer
  private let relay: TCPRelay?
  private let stage: Monitor<Stage>
  /// The digest of each version.
  let digests: [String]
  /// The other file that has the name.
  let foreign: Content
  /// What happened, for whoever looks for the reason of a broken promise.
  private(set) var record: [String] = []
  /// Somebody changed our files, so what they say need not be true any more.
  var isTampered = false
  /// A run was killed.
  var wasKilled = false
  /// A digest was demanded that not every version has.
  var mayMismatch = false
  private(set) var codes: [Int32] = []

  /// How long a run may take that makes progress, however slow.
  private static let longestRun = Duration.seconds(120)

  init(seed: UInt64) throws {
    let plan = CasePlan(seed: seed)
    self.plan = plan
    folder = try TemporaryFolder()
    try folder.makeFolder("place")
    let stage = Monitor(Stage())
    self.stage = stage
    server = try ScriptedServer(settings: plan.server.settings) { request in
      let (run, isHealed) = stage.read { ($0.run, $0.isHealed) }
      if isHealed { return .file(plan.file.reply(plan.file.versions.count - 1)) }
      return plan.server.reply(to: request, plan.file.reply(plan.file.index(of: request, run: run)))
    }
    relay =
      plan.path.isRelayed
      ? try TCPRelay(to: server.port) { plan.path.fate(of: $0, isHealed: stage.read(\.isHealed)) } : nil
    foreign = .pattern(length: plan.file.versions.reduce(7) { $0 + $1.length }, seed: seed &+ 99)
    let needsDigests = plan.steps.contains { $0.demand != .none }
    digests = needsDigests ? try plan.file.versions.map { try Self.digest(plan.algorithm, of: $0) } : []
  }

  /// The folder of the target, as the case's folder takes it.
  var place: String { plan.target.folder.map { "place/\($0)" } ?? "place" }
  /// The path of a name beside the target, as the folder takes it.
  func placed(_ name: String) -> String { "\(place)/\(name)" }
  /// What is there now.
  func look() throws -> FolderState { try FolderState(folder, plan.target) }

  /// Plays it. Throws `BrokenPromise`.
  func play() throws {
    record.append(plan.description)
    if plan.isTaken {
      if plan.target.folder != nil { try folder.makeFolder(place) }
      try folder.write(foreign, to: placed(plan.target.name))
    }
    for (index, step) in plan.steps.enumerated() {
      stage.change { $0.run = index }
      if try holdsOurs() { break }
      try tamper(step)
      let before = try look()
      if demanded(step, before) != nil, step.demand == .wrong || plan.file.hasChanges { mayMismatch = true }
      let requests = requestsSoFar()
      let result = try run(words(of: step), step)
      try check(step, result, before, since: requests)
    }
    stage.change { $0 = Stage(run: .max, isHealed: true) }
    try finish()
  }

  /// Those of a run that has ended may still be on their way.
  func requestsSoFar() -> Int {
    relay?.settle()
    return server.settledLog().entries.count
  }

  /// Whether the name is that of a file of ours.
  func holdsOurs() throws -> Bool {
    guard folder.contains(placed(plan.target.name)) else { return false }
    return try !plan.isTaken || !folder.holds(foreign, in: placed(plan.target.name))
  }

  private var url: String { "http://127.0.0.1:\(relay?.port ?? server.port)/file.bin" }

  /// The words of a plain run with these options.
  func words(_ options: [String]) -> [String] { options + plan.target.options + [url] }

  private func words(of step: Step) -> [String] {
    var options = step.options
    if let digest = digest(of: step) { options += ["--\(plan.algorithm)", digest] }
    if plan.forces { options.append("--force") }
    if step.restarts { options.append("--restart") }
    guard step.resumes else { return words(options) }
    return ["resume"] + options + [(plan.target.folder.map { "\($0)/" } ?? "") + plan.target.name + ".part"]
  }

  private func digest(of step: Step) -> String? {
    switch step.demand {
    case .none: nil
    case .right: digests.last
    case .older: digests.first
    case .wrong: digests.last.map { String($0.reversed()) }
    }
  }

  /// The digest that a run demands: its own, else that of an earlier one.
  func demanded(_ step: Step, _ before: FolderState) -> String? {
    digest(of: step) ?? (step.restarts ? nil : before.manifest?.digests[plan.algorithm])
  }

  private static func digest(_ algorithm: String, of content: Content) throws -> String {
    let folder = try TemporaryFolder()
    try folder.write(content, to: "file")
    let output = try CommandRunner("\(algorithm)sum", [folder.path("file")]).run().output
    return String(output.prefix { $0 != " " })
  }

  /// Runs the command; `step` says what happens to it meanwhile.
  func run(_ words: [String], _ step: Step? = nil) throws -> CommandResult {
    var runner = CommandRunner.swoop(words)
    runner.workingDirectory = folder.path("place")
    runner.leadsGroup = true
    if let step, step.onTerminal { runner.terminal = .init(forAllStreams: step.options.count % 2 == 0) }
    record.append("$ swoop \(words.joined(separator: " "))")
    let command = try runner.start()
    if let interruption = step?.interruption { try interrupt(command, interruption) }
    guard let result = command.waitForExit(timeout: Self.longestRun) else {
      throw BrokenPromise("the run does not end: \(command.error)")
    }
    record.append("\(result.error)\(result.output)-> \(result.termination)")
    codes.append(result.exitCode)
    // The group had but one member.
    try BrokenPromise.unless(kill(-command.pid, 0) != 0, "a process of the run is left")
    return result
  }

  /// How it was, for the evidence.
  var report: String {
    let requests = server.log.entries.map { entry in
      let request = entry.request
      return "\(request.index) #\(request.connection) \(request.method) \(request.target) \(request.range ?? "-") "
        + "\(request.headers["If-Range"] ?? "-") -> \(entry.status ?? 0), \(entry.bodyBytesSent) bytes"
    }
    return (record + ["requests:"] + requests).joined(separator: "\n") + "\n"
  }
}
