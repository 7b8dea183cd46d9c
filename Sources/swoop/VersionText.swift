internal import DownloadCore
internal import DownloadEngine

/// What `--version` prints.
enum VersionText {
  static var text: String {
    """
    swoop \(Version.current)
    libcurl/\(LibraryVersions.libcurl) OpenSSL/\(LibraryVersions.openSSL) zlib/\(LibraryVersions.zlib) \
    ISA-L/\(LibraryVersions.isaL) expat/\(LibraryVersions.expat)

    """
  }
}
