import Testing

@testable import swoop

@Suite struct PipeTests {
  @Test func hangingUpWakes() {
    let pipe = swoop.Pipe()
    #expect(!pipe.waitForHangUp(milliseconds: 1))
    pipe.hangUp()
    #expect(pipe.waitForHangUp(milliseconds: -1))
  }
}
