import Ccrypto
import Ccurl
import Czlib

/// The versions of the libraries that this process runs with.
package enum LibraryVersions {
  package static var libcurl: String { String(cString: curl_version_info(CURLVERSION_NOW).pointee.version) }
  /// As OpenSSL says it, without the date: `3.0.19`.
  package static var openSSL: String {
    let words = String(cString: swoop_crypto_version()).split(separator: " ")
    return words.count > 1 ? String(words[1]) : words.joined()
  }
  package static var zlib: String { String(cString: zlibVersion()) }
}
