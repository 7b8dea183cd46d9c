import Ccurl
import DownloadCore

/// libcurl's global state, set up once.
enum CurlLibrary {
  private static let isReady: Bool = {
    CryptoLibrary.prepare()
    return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
  }()

  /// Throws `unforeseen` where libcurl cannot be used: where there is hardly any memory, for one.
  static func check() throws(DownloadError) {
    guard isReady else { throw DownloadError(.unforeseen, "libcurl cannot be used: it fails to set itself up") }
  }

  static func prepare() { precondition(isReady, "libcurl cannot be used on this machine") }

  /// Whether its TLS is OpenSSL, and not another library under the same name.
  static let usesOpenSSL: Bool = {
    guard let version = swoop_curl_version_info().pointee.ssl_version else { return false }
    return String(cString: version).hasPrefix("OpenSSL/")
  }()

  static var version: String { String(cString: swoop_curl_version_info().pointee.version) }
}
