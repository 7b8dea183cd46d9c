import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `-o` to devices and FIFOs.
@Suite(.waiting) struct SinkPlaceTests {
  @Test(.row("L40"), arguments: [[], ["--force"], ["--restart"]]) func aDevice(options: [String]) throws {
    let trial = try Trial.healthy()
    let result = try trial.command(options + ["-o", "/dev/null"]).run()
    #expect(result.exitCode == 0 && result.error.contains("sent 9.5 MiB to /dev/null (in "), "\(result.error)")
    try trial.expectNothingLeft(result, errors: 0)
  }

  @Test(.row("L40"), .row("L06")) func aDeviceWithoutRoom() throws {
    let trial = try Trial.healthy()
    let result = try trial.run("-o", "/dev/full")
    try trial.expectFailed(result, exit: 7, says: "cannot write to /dev/full: no space left on device")
  }

  @Test(.row("L40"), arguments: ["1", "4"]) func aFIFO(connections: String) throws {
    let trial = try Trial.healthy()
    let reader = try trial.fifo()
    let command = try trial.command(["-n", connections, "--window", "128k", "-o", reader.path]).start()
    let bytes = try reader.read(20_000_000)
    let result = try command.result()
    #expect(result.exitCode == 0 && result.error.contains("sent 9.5 MiB to \(reader.path) (in "), "\(result.error)")
    try trial.expectBytes(bytes)
    #expect(bytes.count == Int(trial.content.length))
    try trial.expectNothingLeft(result, errors: 0)
  }

  /// Nothing is asked for before somebody reads, and a signal ends the waiting.
  @Test(.row("L40"), arguments: [true, false]) func aFIFOWithoutAReader(comes: Bool) throws {
    let trial = try Trial.healthy()
    let reader = try trial.fifo(reads: false)
    let command = try trial.command(["-o", reader.path]).start()
    #expect(command.waitForOutput(containing: "waiting for somebody to read \(reader.path)"))
    #expect(trial.server.log.connections == 0)
    guard comes else {
      command.signal(SIGINT)
      let result = try command.result(timeout: .seconds(30))
      #expect(result.termination == .signalled(SIGINT), "\(result.error)")
      return try trial.expectNothingLeft(result, errors: 0)
    }
    try reader.open()
    try trial.expectBytes(reader.read(20_000_000))
    #expect(try command.result().exitCode == 0)
  }

  /// Below `-d`, which is not made for it.
  @Test func aFIFOBelowAFolder() throws {
    let trial = try Trial.healthy()
    let reader = try trial.fifo()
    let parts = reader.path.split(separator: "/")
    let folder = "/" + parts.dropLast().joined(separator: "/")
    let command = try trial.command(["-d", folder, "-o", "fifo"]).start()
    try trial.expectBytes(reader.read(20_000_000))
    #expect(try command.result().exitCode == 0)
  }

  @Test(.row("L40")) func whatIsNoPlaceForBytes() throws {
    let trial = try Trial.healthy()
    let place = try TemporaryFolder()
    let made = try CommandRunner(
      "python3", ["-c", "import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])", place.path("socket")]
    ).run()
    try #require(made.exitCode == 0, "\(made.error)")
    let result = try trial.command(["-o", place.path("socket")]).run()
    try trial.expectFailed(result, exit: 7, says: "cannot write to ")
    #expect(trial.server.log.connections == 0)
  }

  /// The bytes are on the disk when the command ends well.
  @Test(.row("L40"), .enabled(if: Machine.canMount)) func aDisk() throws {
    let trial = try Trial.healthy()
    let place = try TemporaryFolder()
    try place.write("", to: "image")
    try place.truncate("image", to: 16 << 20)
    let made = try CommandRunner("losetup", ["-f", "--show", place.path("image")]).run()
    try #require(made.exitCode == 0, "\(made.error)")
    let device = try #require(made.output.split(separator: "\n").first.map { String($0) })
    defer { _ = try? CommandRunner("losetup", ["-d", device]).run() }
    let result = try trial.command(["-o", device]).run()
    #expect(result.exitCode == 0, "\(result.error)")
    try trial.expectNothingLeft(result, errors: 0)
    let written = try Content.file(place.path("image")).bytes(in: 0..<trial.content.length)
    try trial.expectBytes(written)
    try place.truncate("image", to: 4 << 20)
    _ = try CommandRunner("losetup", ["-c", device]).run()
    try trial.expectFailed(trial.command(["-o", device]).run(), exit: 7, says: "cannot write to ")
  }
}
