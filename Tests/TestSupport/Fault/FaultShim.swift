internal import Glibc

/// The library that is loaded before a command and makes its calls fail; its source is Tests/FaultShim.
package enum FaultShim {
  /// The file: SWOOP_FAULT_SHIM, else one built beside the running tests; nil where no compiler can build it.
  package static let path: String? = {
    if let path = getenv("SWOOP_FAULT_SHIM") { return String(cString: path) }
    let path = BuiltProducts.folder + "/fault-shim.so"
    // Other tests may be about to load one that is there.
    let new = "\(path).\(getpid())"
    guard let built = try? CommandRunner("bash", [script, new]).run(), built.exitCode == 0 else { return nil }
    return rename(new, path) == 0 ? path : nil
  }()

  private static var script: String {
    let packageRoot = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    return "/\(packageRoot)/Tests/FaultShim/build.sh"
  }
}
