import Ccurl
import Synchronization

/// Which TLS connections their peers have ended in good order, with close_notify (RFC 8446, section 6.1).
///
/// Where nothing but the end of the connection marks the end of a body, this tells an end from a cut. libcurl does not:
/// it asks OpenSSL to take one for the other.
enum CloseNotify {
  /// Addresses of OpenSSL's connections.
  private static let heard = Mutex<Set<Int>>([])
  /// Those of connections long gone; forgetting them costs no more than a retry.
  private static let most = 256

  /// Listens on the connections that a handle makes.
  static func listen(on easy: UnsafeMutableRawPointer) {
    guard CurlLibrary.usesOpenSSL else { return }
    _ = swoop_curl_set_tls_watcher(easy) { connection, what, value in
      guard let connection else { return }
      CloseNotify.note(Int(bitPattern: connection), what, value)
    }
  }

  /// The connection of a transfer under way; nil where it has none.
  static func connection(of easy: UnsafeMutableRawPointer) -> Int? {
    CurlLibrary.usesOpenSSL ? swoop_curl_tls_connection(easy).map { Int(bitPattern: $0) } : nil
  }

  static func wasHeard(on connection: Int) -> Bool { heard.withLock { $0.contains(connection) } }

  /// SSL_CTX_set_info_callback(3): of an alert the low byte is its description.
  private static func note(_ connection: Int, _ what: Int32, _ value: Int32) {
    heard.withLock { heard in
      if what & swoop_tls_handshake_starts != 0 {
        // A new connection at the address of an old one.
        heard.remove(connection)
      } else if what & swoop_tls_alert_read == swoop_tls_alert_read, value & 0xFF == swoop_tls_close_notify {
        if heard.count >= most { heard.removeAll() }
        heard.insert(connection)
      }
    }
  }
}
