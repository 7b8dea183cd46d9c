import Ccurl

/// libcurl's global state, set up once.
enum CurlLibrary {
  private static let isReady: Bool = {
    CryptoLibrary.prepare()
    return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
  }()

  static func prepare() { precondition(isReady, "libcurl cannot be used on this machine") }

  static var version: String { String(cString: swoop_curl_version_info().pointee.version) }
}
