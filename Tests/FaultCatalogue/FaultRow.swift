/// A thing that servers, networks, disks or people have done to a downloader, and that a test plays.
package struct FaultRow: Hashable, Sendable {
  /// The group's letter and two digits, as in `R01`.
  package let id: String
  /// The fault, in a few words.
  package let fault: String

  init(_ id: String, _ fault: String) {
    self.id = id
    self.fault = fault
  }

  /// What the row's letter stands for.
  package var group: Character { id.first ?? "?" }
}
