internal import DownloadCore
internal import Glibc

/// The process's own command line, as everyone on the machine can read it.
enum ArgumentVector {
  /// The words after the command's own name; each must be UTF-8, so that no name on the disk differs from what was
  /// typed.
  static func words() throws(DownloadError) -> [String] {
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let pointer = CommandLine.unsafeArgv[index] else { break }
      guard let word = String(validatingCString: pointer) else { throw .usage("word \(index) is not valid UTF-8") }
      words.append(word)
    }
    return words
  }

  /// Overwrites secrets where `ps` reads them; what was parsed has its own copies.
  static func blank(_ spans: [SecretSpan]) {
    for span in spans {
      guard let pointer = CommandLine.unsafeArgv[span.word + 1] else { continue }
      let length = strlen(pointer)
      for offset in span.bytes where offset < length { pointer[offset] = CChar(UInt8(ascii: "*")) }
    }
  }
}
