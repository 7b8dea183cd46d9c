import Clinux
import Glibc

/// A shared library that is loaded.
enum LoadedLibrary {
  /// The version of the library that has this symbol, from the name of its file; `unknown` where that tells none.
  static func version(havingSymbol symbol: String) -> String {
    // It is loaded by the name that links to the file's own.
    guard let name = swoop_library_of(symbol), let file = realpath(name, nil) else { return "unknown" }
    defer { free(file) }
    return version(ofPath: String(cString: file)) ?? "unknown"
  }

  /// `2.30` of `/usr/lib/libisal.so.2.0.30`: libtool names a file after its interface, age and revision, which are
  /// ISA-L's major version, 0 and minor version (`-version-info 2:30:0` in its Makefile.am).
  static func version(ofPath path: String) -> String? {
    let words = path.split(separator: "/").last?.split(separator: ".") ?? []
    let numbers = words.suffix(3).compactMap { Int($0) }
    return words.count == 5 && numbers.count == 3 && numbers[1] == 0 ? "\(numbers[0]).\(numbers[2])" : nil
  }
}
