import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// The config file: the usual one, one that is named, and none.
@Suite(.waiting) struct ConfigFileTests {
  private let trial: Trial
  private let home: TemporaryFolder

  init() throws {
    trial = try Trial.healthy()
    home = try TemporaryFolder()
    try home.makeFolder(".config")
    try home.makeFolder(".config/swoop")
    try home.makeFolder("xdg")
    try home.makeFolder("xdg/swoop")
  }

  /// Runs the command at home; `xdg` sets XDG_CONFIG_HOME.
  private func run(_ words: [String], xdg: String? = nil) throws -> CommandResult {
    var runner = trial.swoop(words)
    runner.environment = ["HOME": home.path, "XDG_CONFIG_HOME": xdg]
    return try runner.run(timeout: .seconds(20))
  }

  private func write(_ text: String, _ name: String = ".config/swoop/config", mode: UInt32 = 0o600) throws {
    try home.write(text, to: name, mode: mode)
    try home.setMode(mode, of: name)
  }

  private func expectRefusal(
    _ result: CommandResult, exit code: Int32, _ words: String..., location: SourceLocation = #_sourceLocation
  ) {
    #expect(result.exitCode == code, "\(result.error)", sourceLocation: location)
    #expect(result.error.hasPrefix("swoop: error: ") && result.error.count(of: "\n") == 1, sourceLocation: location)
    for text in words { #expect(result.error.contains(text), "\(result.error)", sourceLocation: location) }
    #expect(!result.error.contains("S3CR3T"), "\(result.error)", sourceLocation: location)
    #expect(trial.names.isEmpty && trial.server.log.connections == 0, sourceLocation: location)
  }

  @Test func theUsualFileIsReadUnasked() throws {
    try write("\u{FEFF}# mine\r\n\r\n  user-agent = from the file\r\noutput=file.bin\r\nverbose\r\n", mode: 0o644)
    let result = try run([trial.server.url("/other.bin")])
    try trial.expect(result, exit: 0, .file, says: "swoop: * options from \(home.path)/.config/swoop/config\n")
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["User-Agent"] == "from the file" })
  }

  /// The folder of the environment comes first, if it is absolute.
  @Test func theFolderOfTheEnvironment() throws {
    try write("user-agent=home\n")
    try write("user-agent=xdg\n", "xdg/swoop/config")
    for (folder, agent) in [(home.path("xdg"), "xdg"), ("xdg", "home"), ("", "home"), (home.path("none"), "swoop/")] {
      let before = trial.server.log.entries.count
      let result = try run(["--force", trial.server.url()], xdg: folder)
      #expect(result.exitCode == 0, "\(result.error)")
      let agents = trial.server.settledLog().entries.dropFirst(before).map { $0.request.headers["User-Agent"] ?? "" }
      #expect(!agents.isEmpty && agents.allSatisfy { $0.hasPrefix(agent) }, "\(folder): \(agents)")
    }
  }

  @Test func withoutAHomeThereIsNone() throws {
    var runner = trial.swoop([trial.server.url()])
    runner.environment = ["HOME": nil]
    #expect(try runner.run().exitCode == 0)
  }

  /// Wherever it stands on the line, a file that is named counts instead of the usual one.
  @Test(arguments: [true, false]) func aNamedFileCountsInstead(isLast: Bool) throws {
    try write("user-agent=home\nnonsense\n")
    try write("user-agent=named\nconnections=2\n", "mine")
    let option = ["--config", home.path("mine")]
    let result = try run(isLast ? [trial.server.url()] + option : option + [trial.server.url()])
    try trial.expect(result, exit: 0, .file)
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["User-Agent"] == "named" })
    #expect(trial.server.log.maxConcurrentConnections <= 2)
  }

  @Test func noFileIsReadWhereNoneIsWanted() throws {
    try write("nonsense\n")
    try trial.expect(run([trial.server.url(), "--no-config"]), exit: 0, .file)
    // Nor for the help, which tells what may stand there.
    #expect(try run(["--help"]).exitCode == 0)
  }

  @Test func whatIsTypedCountsBeforeIt() throws {
    try write("user-agent=file\nheader=A: file\noutput=other\n")
    let result = try run(["-A", "typed", "-H", "B: typed", "-o", "file.bin", trial.server.url()])
    try trial.expect(result, exit: 0, .file)
    let seen = try #require(trial.server.log.entries.first?.request.headers)
    #expect(seen["User-Agent"] == "typed" && seen["A"] == "file" && seen["B"] == "typed")
  }

  /// What means nothing to the verb at hand is left out there, and checked all the same.
  @Test(arguments: [
    ["status", "x.part"], ["resume", "x.part"], ["verify", "--md5", String(repeating: "0", count: 32), "x"],
  ])
  func isOneFileForAllVerbs(words: [String]) throws {
    try write("connections=8\noutput=x\nurl=http://h/\nlimit-rate=5M\ncookie=a=b\ninsecure\nquiet\n")
    let result = try run(words)
    #expect(result.exitCode == (words[0] == "verify" ? 7 : 11), "\(result.error)")
    try write("connections=many\n")
    expectRefusal(try run(words), exit: 2, "swoop/config:1: --connections is 1 to 64 or auto, not 'many'")
  }

  @Test(arguments: [
    ("conections=8\n", ":1: unknown option conections; did you mean connections?"),
    ("\n#\nzzzzzzzz\n", ":3: unknown option zzzzzzzz"), ("quiet=yes", ":1: quiet takes no value"),
    ("connections", ":1: connections needs a value: connections=N"), ("--quiet", ":1: options stand without dashes"),
    ("-q", ":1: options stand without dashes"), ("config=x", ":1: config cannot stand in a config file"),
    ("help", ":1: help cannot"), ("no-config", ":1: no-config cannot"), ("resume", ":1: only options stand here"),
    ("http://me:S3CR3T@h/f?token=S3CR3T", ":1: only options stand here"), ("user me:S3CR3T", ":1: user needs a ="),
    ("user: me:S3CR3T", ":1: user needs a ="), ("S3CR3T=1 2\u{1}", ":1: it is no text"),
    ("=S3CR3T", ":1: only options"),
    ("generate=man", ":1: generate cannot"), ("limit-rate=0", ":1: --limit-rate needs a size"),
    ("quiet\u{0}", ":1: it is no text"), ("header=x\nquiet", ":1: --header needs 'Name: value'"),
  ])
  func linesThatMakeNoSense(text: String, says: String) throws {
    try write(text)
    expectRefusal(try run([trial.server.url()]), exit: 2, home.path(".config/swoop/config") + says)
  }

  /// A secret is its owner's alone.
  @Test(arguments: [
    "user=me:S3CR3T", "header=Authorization: Bearer S3CR3T", "header=Cookie: S3CR3T", "cookie=a=S3CR3T",
    "proxy=http://me:S3CR3T@p:1", "checksum-file=https://h/f?token=S3CR3T",
  ])
  func secretsAreForTheOwnerAlone(line: String) throws {
    for mode in [0o644, 0o640, 0o604, 0o660, 0o620] as [UInt32] {
      try write("quiet\n\(line)\n", mode: mode)
      expectRefusal(try run([trial.server.url()]), exit: 7, "swoop/config:2: ", "chmod 600 ")
    }
    for mode in [0o600, 0o400] as [UInt32] {
      try write(line, mode: mode)
      #expect(try run(["status", "x.part"]).exitCode == 11)
    }
  }

  @Test(arguments: ["user=me", "header=Accept: text/html", "proxy=http://p:1", "limit-rate=5M"])
  func whatIsNoSecretMayBeReadByAll(line: String) throws {
    try write(line, mode: 0o644)
    #expect(try run(["status", "x.part"]).exitCode == 11)
  }

  /// A FIFO is not waited for, and what cannot be read is no empty file.
  @Test(arguments: ["fifo", "folder", "large", "device"]) func whatIsNoConfigFile(kind: String) throws {
    let path = home.path("odd")
    switch kind {
    case "fifo": #expect(mkfifo(path, 0o600) == 0)
    case "folder": try home.makeFolder("odd")
    case "large": try write(String(repeating: "#", count: (64 << 10) + 1), "odd")
    default: try home.link("odd", to: "/dev/zero")
    }
    let words = kind == "large" ? "larger than 64 KiB" : "it is no regular file"
    expectRefusal(try run(["--config", path, trial.server.url()]), exit: kind == "large" ? 2 : 7, words)
  }

  @Test func aMissingFileMattersWhereItIsNamed() throws {
    expectRefusal(
      try run(["--config", home.path("none"), trial.server.url()]), exit: 2, "cannot read the config file",
      "No such file")
    expectRefusal(
      try run(["--config", "x", "--no-config", trial.server.url()]), exit: 2, "contradict each other")
  }

  @Test(.enabled(if: Machine.canBeNobody, "nobody without rights can run the command"))
  func anUnreadableFileIsAnError() throws {
    try write("quiet\n", mode: 0)
    for name in ["", ".config", ".config/swoop"] { try home.setMode(0o755, of: name) }
    try trial.giveAway()
    var runner = trial.swoop([trial.server.url()])
    runner.environment = ["HOME": home.path]
    expectRefusal(try Machine.withoutRights(runner).run(), exit: 7, "swoop/config: Permission denied")
    // Nobody can tell what is in a folder that may not be searched.
    try home.setMode(0o700, of: ".config")
    try trial.expect(Machine.withoutRights(runner).run(), exit: 0, .file)
  }

  @Test func standardInputIsAFileToo() throws {
    var runner = trial.swoop(["--config", "-", trial.server.url()])
    runner.input = .bytes(Array("user-agent=typed\n".utf8))
    try trial.expect(runner.run(), exit: 0, .file)
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["User-Agent"] == "typed" })
    runner.input = .bytes(Array("nonsense\n".utf8))
    let wrong = try runner.run()
    #expect(wrong.exitCode == 2 && wrong.error.contains("standard input:1: unknown option nonsense"), "\(wrong.error)")
  }
}
