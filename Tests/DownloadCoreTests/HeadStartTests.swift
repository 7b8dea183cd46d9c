import DownloadCore
import Testing

/// How long HEAD is waited for alone.
@Suite struct HeadStartTests {
  @Test func aConnectionThatTakesItsTimeIsALongOne() {
    #expect(!HeadStart.isOver(begun: 0.004, requested: nil))
    #expect(HeadStart.isOver(begun: HeadStart.shortConnection, requested: nil))
  }

  /// However long the connection took: what counts then is the answer.
  @Test func anAnswerHasMoreTimeThanAConnection() {
    #expect(!HeadStart.isOver(begun: 0.06, requested: 0.049))
    #expect(HeadStart.isOver(begun: 0.06, requested: 0.051))
  }
}
