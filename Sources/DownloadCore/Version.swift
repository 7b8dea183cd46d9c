/// The version of swoop.
package enum Version {
  /// As `--version` prints it.
  package static let current = "0.1.0"
  /// The day that it was made, year first: the man page's date.
  package static let date = "2026-11-30"
}
