import Ccrypto

/// OpenSSL's global state, set up once.
enum CryptoLibrary {
  /// Without its exit handler: threads of ours may still hash when the process ends.
  private static let isReady: Bool = swoop_crypto_init() == 1

  static func prepare() { precondition(isReady, "OpenSSL cannot be used on this machine") }

  /// As OpenSSL says it, without the date: `3.0.19`.
  static var version: String {
    let words = String(cString: swoop_crypto_version()).split(separator: " ")
    return words.count > 1 ? String(words[1]) : words.joined()
  }
}
