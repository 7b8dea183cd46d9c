import DownloadCore
import Testing

@Suite struct ClauseTests {
  @Test(arguments: [
    ("Connection reset by peer", "connection reset by peer"),
    ("SSL certificate problem: self-signed certificate", "SSL certificate problem: self-signed certificate"),
    ("OpenSSL/3.0: error", "OpenSSL/3.0: error"),
    ("Received invalid version in initial SOCKS5 response.", "received invalid version in initial SOCKS5 response"),
    ("", ""), (".", ""), ("A", "A"), ("already lower", "already lower"),
  ])
  func readsOn(text: String, clause: String) { #expect(text.asClause == clause) }
}
