/// The version of swoop.
package enum Version {
  /// As `--version` prints it.
  package static let current = "0.1.0"
}
