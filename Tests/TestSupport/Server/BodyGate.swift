/// Holds bodies back after so many bytes of each, until it is opened: a download stands still while it is looked at.
package final class BodyGate: Sendable {
  /// Bytes of each body that come at once.
  let after: Int64
  private let isOpen = Monitor(false)

  /// A gate that is shut.
  package init(after bytes: Int64) { after = bytes }

  /// Lets all bodies go on, and those that come.
  package func open() { isOpen.change { $0 = true } }

  /// Waits until the gate is open, a minute at most, and says whether it is.
  func pass() -> Bool { isOpen.wait(timeout: .seconds(60)) { $0 } }
}
