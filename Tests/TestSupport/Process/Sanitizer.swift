internal import Glibc

/// The sanitizer that tests and command are built with. It needs memory and addresses of its own, which count as those
/// of the command: bounds on them say nothing.
package enum Sanitizer {
  /// `Scripts/sanitize.sh` names it in SWOOP_SANITIZER.
  package static let isOn = getenv("SWOOP_SANITIZER") != nil
}
