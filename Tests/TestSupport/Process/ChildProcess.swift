internal import Cprocess
internal import Glibc

/// A process just started, and the ends of its pipes or its terminal that stay here.
struct ChildProcess {
  let pid: Int32
  /// Reads standard output, if that is captured.
  let output: Int32?
  /// Reads standard error or the terminal.
  let error: Int32
  /// The terminal's master side, which `error` is then too.
  let terminal: Int32?

  /// Spawns the command with an empty signal mask and every signal at its default action.
  static func start(_ runner: CommandRunner) throws -> ChildProcess {
    var childSide: [Int32] = []
    var ourSide: [Int32] = []
    defer { for descriptor in childSide { close(descriptor) } }
    do {
      var actions = SpawnActions()
      defer { actions.destroy() }
      if let folder = runner.workingDirectory { actions.changeFolder(to: folder) }

      let terminal = try runner.terminal.map { try PseudoTerminal(columns: $0.columns, rows: $0.rows) }
      if let terminal { ourSide.append(terminal.master) }
      let isAllTerminal = runner.terminal?.isForAllStreams ?? false
      var outputEnd: Int32?
      if let terminal, isAllTerminal {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { actions.open(terminal.path, O_RDWR, as: stream) }
      } else {
        try connectInput(runner.input, &actions, &childSide)
        outputEnd = try connectOutput(runner.output, &actions, &childSide, &ourSide)
      }
      var errorEnd = terminal?.master
      if let terminal {
        actions.open(terminal.path, O_RDWR | O_NOCTTY, as: STDERR_FILENO, unless: isAllTerminal)
      } else {
        errorEnd = try connectPipe(to: STDERR_FILENO, &actions, &childSide, &ourSide)
      }
      guard let errorEnd else { throw SystemCallFailure("no standard error", code: EBADF) }
      let pid = try spawn(runner, actions, startsSession: isAllTerminal)
      return ChildProcess(pid: pid, output: outputEnd, error: errorEnd, terminal: terminal?.master)
    } catch {
      for descriptor in ourSide { close(descriptor) }
      throw error
    }
  }

  private static func connectInput(
    _ input: CommandRunner.Input, _ actions: inout SpawnActions, _ childSide: inout [Int32]
  ) throws {
    switch input {
    case .null: actions.open("/dev/null", O_RDONLY, as: STDIN_FILENO)
    case .file(let path): actions.open(path, O_RDONLY, as: STDIN_FILENO)
    case .bytes(let bytes):
      let file = try checked("memfd_create") { swoop_memory_file("input") }
      childSide.append(file)
      try FileWriter.write(bytes, to: file)
      lseek(file, 0, SEEK_SET)
      actions.duplicate(file, as: STDIN_FILENO)
    }
  }

  private static func connectOutput(
    _ output: CommandRunner.Output, _ actions: inout SpawnActions, _ childSide: inout [Int32],
    _ ourSide: inout [Int32]
  ) throws -> Int32? {
    switch output {
    case .captured: return try connectPipe(to: STDOUT_FILENO, &actions, &childSide, &ourSide)
    case .file(let path): actions.open(path, O_WRONLY | O_CREAT | O_TRUNC, as: STDOUT_FILENO)
    case .closed: actions.close(STDOUT_FILENO)
    }
    return nil
  }

  private static func connectPipe(
    to stream: Int32, _ actions: inout SpawnActions, _ childSide: inout [Int32], _ ourSide: inout [Int32]
  ) throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    try checked("pipe2") { pipe2(&ends, O_CLOEXEC) }
    ourSide.append(ends[0])
    childSide.append(ends[1])
    actions.duplicate(ends[1], as: stream)
    return ends[0]
  }

  private static func spawn(_ runner: CommandRunner, _ actions: SpawnActions, startsSession: Bool) throws -> Int32 {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    if startsSession { flags |= Int32(SWOOP_SPAWN_SETSID) }
    if runner.leadsGroup && !startsSession { flags |= Int32(POSIX_SPAWN_SETPGROUP) }
    posix_spawnattr_setflags(&attributes, Int16(flags))

    let words = CStringArray([runner.executable] + runner.arguments)
    let environment = CStringArray(ChildEnvironment.lines(changes: runner.environment))
    var pid: Int32 = 0
    let result = withUnsafePointer(to: actions.actions) {
      posix_spawnp(&pid, runner.executable, $0, &attributes, words.pointers, environment.pointers)
    }
    guard result == 0 else { throw SystemCallFailure("cannot start \(runner.executable)", code: result) }
    return pid
  }
}
