import TestSupport
import Testing

/// Sizes on the command lines of the test servers.
@Suite struct ByteCountTests {
  @Test(arguments: [("4M", 4 << 20), ("64k", 64 << 10), ("0", 0), ("7", 7), ("2T", 2 << 40)] as [(String, Int64)])
  func readsSizes(text: String, size: Int64) {
    #expect(Int64(size: text) == size)
  }

  @Test(arguments: ["", "M", "-1", "1.5M", "1P", "9223372036854775807K"])
  func refusesSizes(text: String) {
    #expect(Int64(size: text) == nil)
    #expect(Double(rate: text) == nil)
  }
}
