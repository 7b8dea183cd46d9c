import Ccrypto
import Ccurl

/// libcurl's global state, set up once.
enum CurlLibrary {
  /// OpenSSL first, without its exit handler: threads of ours may still hash when the process ends.
  private static let isReady: Bool = {
    _ = swoop_crypto_init()
    return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
  }()

  static func prepare() { precondition(isReady, "libcurl cannot be used on this machine") }
}
