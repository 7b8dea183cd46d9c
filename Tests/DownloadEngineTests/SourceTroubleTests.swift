import DownloadCore
import Testing

@testable import DownloadEngine

/// Failures of a source that follow one another.
@Suite struct SourceTroubleTests {
  private static func source() throws -> Source { Source(try URLParser.parse(typed: "http://127.0.0.1/f")) }

  @Test func oneMayBeAnAccident() throws {
    let source = try Self.source()
    #expect(!source.noteTrouble("reset", begun: 1, at: 2) && source.lastingTrouble == nil)
    // Those that were under way at that time have failed with it.
    #expect(!source.noteTrouble("cut", begun: 1.5, at: 2.1) && source.lastingTrouble == nil)
    #expect(!source.noteTrouble("refused", begun: 2.2, at: 3) && source.lastingTrouble == "refused")
  }

  @Test func bytesMakeAnEndOfIt() throws {
    let source = try Self.source()
    for time in [1.0, 2.0, 3.0] { _ = source.noteTrouble("refused", begun: time, at: time) }
    source.brought(ByteRange(0, 4095))
    #expect(source.lastingTrouble == "refused")
    source.brought(ByteRange(4095, 8191))
    #expect(source.lastingTrouble == nil)
  }
}
