import Ccurl
import DownloadCore

/// libcurl's result codes (libcurl-errors(3)).
struct CurlCode: Hashable {
  private let raw: CURLcode
  init(_ raw: CURLcode) { self.raw = raw }

  static let ok = CurlCode(CURLE_OK)
  var isOK: Bool { raw == CURLE_OK }

  static func == (left: CurlCode, right: CurlCode) -> Bool { left.raw.rawValue == right.raw.rawValue }
  func hash(into hasher: inout Hasher) { hasher.combine(raw.rawValue) }

  var isConnectFailure: Bool { raw == CURLE_COULDNT_CONNECT }
  var isHandshakeFailure: Bool { raw == CURLE_SSL_CONNECT_ERROR }

  /// libcurl's own words, lower case at the beginning.
  var text: String { String(cString: curl_easy_strerror(raw)).asClause }

  /// The server's certificate is not to be trusted.
  var isUntrusted: Bool { raw == CURLE_PEER_FAILED_VERIFICATION }

  /// FTP: the server does not begin anywhere but at 0 (REST).
  var isRefusedRestart: Bool { raw == CURLE_FTP_COULDNT_USE_REST }
  /// FTP and files: what was asked for begins behind the end.
  var isBeyondEnd: Bool { raw == CURLE_BAD_DOWNLOAD_RESUME }
  /// FTP: the data connection ended before the end that the server's SIZE tells.
  var isShortFile: Bool { raw == CURLE_PARTIAL_FILE }
  /// FTP: the server's last reply is why.
  var isRefusalByReply: Bool {
    switch raw {
    case CURLE_LOGIN_DENIED, CURLE_REMOTE_ACCESS_DENIED, CURLE_REMOTE_FILE_NOT_FOUND, CURLE_FTP_COULDNT_RETR_FILE,
      CURLE_WEIRD_SERVER_REPLY, CURLE_FTP_WEIRD_PASS_REPLY, CURLE_FTP_WEIRD_PASV_REPLY, CURLE_FTP_WEIRD_227_FORMAT,
      CURLE_FTP_COULDNT_SET_TYPE, CURLE_FTP_COULDNT_USE_REST:
      true
    default: false
    }
  }

  /// What to make of a transfer that ended with this code.
  enum Meaning: Hashable {
    /// Worth another try.
    case transient
    /// There is no such name, or nobody listens.
    case unreachable
    /// Certificate or handshake: never tried again.
    case tls
    /// The answer cannot be understood.
    case protocolError
    /// The proxy refused.
    case proxy
    /// No memory; also what libcurl says to a line of a head that is longer than it takes.
    case memory
    /// There is no such interface or address to send from.
    case interface
    /// This machine or the request: a file that cannot be read.
    case local
  }

  var meaning: Meaning {
    switch raw {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_PROXY: .unreachable
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CRL_BADFILE, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED:
      .tls
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2:
      .protocolError
    case CURLE_PROXY: .proxy
    case CURLE_INTERFACE_FAILED: .interface
    case CURLE_OUT_OF_MEMORY: .memory
    case CURLE_FAILED_INIT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION,
      CURLE_URL_MALFORMAT:
      .local
    default: .transient
    }
  }
}
