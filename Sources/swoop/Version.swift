internal import DownloadEngine

/// What `--version` prints.
enum Version {
  static let number = "0.1.0"

  static var text: String {
    """
    swoop \(number)
    libcurl/\(LibraryVersions.libcurl) OpenSSL/\(LibraryVersions.openSSL) zlib/\(LibraryVersions.zlib)

    """
  }
}
