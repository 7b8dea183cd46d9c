import TestSupport
import Testing

/// What the tests of `-o -` and its like do with a trial.
extension Trial {
  /// Checks a run that has sent all of the file to standard output, in order and once.
  func expectSent(
    _ result: CommandResult, says words: String..., location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(result.exitCode == 0, "\(result.error)", sourceLocation: location)
    for text in words { #expect(result.error.contains(text), "\(result.error)", sourceLocation: location) }
    try expectBytes(result.outputBytes, location)
    #expect(Int64(result.outputBytes.count) == content.length, "\(result.outputBytes.count)", sourceLocation: location)
    try expectNothingLeft(result, errors: 0, location)
  }

  /// Checks a run that has failed after it may have sent the beginning of the file.
  func expectFailed(
    _ result: CommandResult, exit code: Int32, says words: String..., location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(result.exitCode == code, "\(result.error)", sourceLocation: location)
    for text in words { #expect(result.error.contains(text), "\(result.error)", sourceLocation: location) }
    try expectBytes(result.outputBytes, location)
    try expectNothingLeft(result, errors: 1, location)
  }

  /// They are the first ones of the file.
  func expectBytes(_ bytes: [UInt8], _ location: SourceLocation = #_sourceLocation) throws {
    let wanted = try content.bytes(in: 0..<Int64(bytes.count))
    let isEqual = bytes == wanted
    #expect(
      isEqual && bytes.count <= Int(content.length),
      "differs at \(zip(bytes, wanted).prefix { $0 == $1 }.count) of \(bytes.count)", sourceLocation: location)
  }

  /// No file of ours, plain lines on standard error, and little memory.
  func expectNothingLeft(
    _ result: CommandResult, errors: Int, but names: [String] = [], _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(self.names == names, "\(self.names)", sourceLocation: location)
    #expect(try folder.names() == [Self.place], sourceLocation: location)
    let lines = result.error.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("swoop: error: ") } == errors, "\(result.error)", sourceLocation: location)
    let isPlain = result.errorBytes.allSatisfy { $0 == 0x0A || ($0 >= 0x20 && $0 != 0x7F) }
    #expect(isPlain && !result.error.contains(Self.secret), "\(result.error)", sourceLocation: location)
  }

  /// The command, with a FIFO for standard output that is read only as far as the test wants.
  func sending(_ options: [String], to reader: FIFOReader) -> CommandRunner {
    var runner = command(options + ["-o", "-"])
    runner.output = .file(reader.path)
    return runner
  }

  /// A FIFO beside the folder where files go, gone with it.
  func fifo(reads: Bool = true) throws -> FIFOReader {
    let place = try TemporaryFolder()
    fifoPlaces.change { $0.append(place) }
    return try FIFOReader(place.path("fifo"), reads: reads)
  }
}

/// They must not be in the trial's own folder, and must last as long as the tests.
private let fifoPlaces = Monitor([TemporaryFolder]())
