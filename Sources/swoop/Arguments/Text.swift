internal import DownloadCore

/// Reads the texts of options; every failure is a usage error that names the option.
enum Text {
  /// A text that goes into a header: one line without control characters.
  static func line(_ text: String, of option: String) throws(DownloadError) -> String {
    guard isOneLine(text) else { throw .usage("\(option) cannot hold line breaks or control characters") }
    return text
  }

  /// curl's `-b` with a `=`; without one curl would read a file.
  static func cookie(_ text: String) throws(DownloadError) -> String {
    guard text.contains("=") else {
      throw .usage("--cookie needs NAME=VALUE: files of cookies are not read")
    }
    return try line(text, of: "--cookie")
  }

  /// `NAME` or `NAME:PASSWORD`.
  static func credentials(_ text: String) throws(DownloadError) -> RemoteURL.UserInfo {
    guard !text.isEmpty, isOneLine(text) else { throw .usage("--user needs NAME or NAME:PASSWORD") }
    let user = text.prefix { $0 != ":" }
    let password = user.endIndex < text.endIndex ? String(text[text.index(after: user.endIndex)...]) : nil
    return RemoteURL.UserInfo(user: String(user), password: password)
  }

  /// An interface, an address or a host; that it is there only libcurl can tell.
  static func interface(_ text: String) throws(DownloadError) -> String {
    guard isOneLine(text), !["", "if!", "host!"].contains(text) else {
      throw .usage("--interface needs an interface, an address or a host")
    }
    return text
  }

  static func fileName(_ text: String, of option: String) throws(DownloadError) -> String {
    guard !text.isEmpty else { throw .usage("\(option) needs a file's name") }
    return text
  }

  static func isOneLine(_ text: String) -> Bool {
    text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  }
}
