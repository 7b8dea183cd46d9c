internal import Glibc

/// The executables that the package manager has built beside the running tests.
package enum BuiltProducts {
  /// The `swoop` under test: SWOOP_BINARY, else the one in the folder of the running executable.
  package static var swoop: String {
    if let path = getenv("SWOOP_BINARY") { return String(cString: path) }
    return folder + "/swoop"
  }

  /// The folder of the running executable.
  package static var folder: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
  }
}
