import Ccurl

/// Owns one of libcurl's easy handles, and the lists that it points at.
struct EasyHandle: ~Copyable {
  let raw: UnsafeMutableRawPointer
  private var headers = StringList()
  private var resolutions = StringList()
  /// libcurl writes its words about a failure here (CURLOPT_ERRORBUFFER(3)).
  private let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  init() {
    CurlLibrary.prepare()
    guard let handle = curl_easy_init() else { preconditionFailure("libcurl has no memory left") }
    raw = handle
    errorBuffer[0] = 0
    set(CURLOPT_ERRORBUFFER, pointer: UnsafeMutableRawPointer(errorBuffer))
  }

  deinit {
    curl_easy_cleanup(raw)
    errorBuffer.deallocate()
  }

  func set(_ option: CURLoption, _ value: Int) { check(swoop_curl_set_long(raw, option, value), option) }
  func set(_ option: CURLoption, _ value: Bool) { set(option, value ? 1 : 0) }
  func set(_ option: CURLoption, _ value: String?) {
    guard let value else { return }
    check(swoop_curl_set_string(raw, option, value), option)
  }
  func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
    check(swoop_curl_set_pointer(raw, option, pointer), option)
  }
  func set(_ option: CURLoption, _ callback: @escaping swoop_curl_data_callback) {
    check(swoop_curl_set_callback(raw, option, callback), option)
  }

  /// Called when the connection is made, just before the request goes out (CURLOPT_PREREQFUNCTION(3)).
  func set(requestCallback: @escaping swoop_curl_request_callback) {
    check(swoop_curl_set_request_callback(raw, requestCallback), CURLOPT_PREREQFUNCTION)
  }

  /// The size of the socket's buffer for what comes, in bytes (socket(7), SO_RCVBUF).
  func setSocketBuffer(_ size: Int) { check(swoop_curl_set_receive_buffer(raw, size), CURLOPT_SOCKOPTFUNCTION) }

  mutating func setHeaders(_ lines: [String]) {
    headers.replace(lines)
    check(swoop_curl_set_list(raw, CURLOPT_HTTPHEADER, headers.list), CURLOPT_HTTPHEADER)
  }

  /// Addresses of names (CURLOPT_RESOLVE(3)), checked already.
  mutating func setResolutions(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    resolutions.replace(lines)
    check(swoop_curl_set_list(raw, CURLOPT_RESOLVE, resolutions.list), CURLOPT_RESOLVE)
  }

  /// Options are fixed at build time: one that this libcurl refuses is a fault of the build, not of the user.
  private func check(_ code: CURLcode, _ option: CURLoption) {
    precondition(code == CURLE_OK, "libcurl refuses option \(option.rawValue): \(code.rawValue)")
  }

  /// Ends a pause (curl_easy_pause(3)): the piece that was not taken comes again, at once. Gives a failure where it is
  /// refused now; libcurl does not end the transfer for it.
  @discardableResult
  func goOn() -> CurlCode { CurlCode(curl_easy_pause(raw, CURLPAUSE_CONT)) }

  private func long(_ info: CURLINFO) -> Int {
    var value = 0
    return swoop_curl_get_long(raw, info, &value) == CURLE_OK ? value : 0
  }

  /// The status of a proxy's answer to CONNECT; 0 where there was none.
  var proxyStatus: Int { long(CURLINFO_HTTP_CONNECTCODE) }
  /// The system's error of the last failed call; 0 where there was none.
  var systemError: Int { long(CURLINFO_OS_ERRNO) }
  /// Whether a connection was made and the request sent on it.
  var wasRequested: Bool {
    var time: curl_off_t = 0
    return swoop_curl_get_offset(raw, CURLINFO_PRETRANSFER_TIME_T, &time) == CURLE_OK && time > 0
  }
  /// Whether a connection was made for this transfer (CURLINFO_NUM_CONNECTS(3)), not one used that was kept.
  var isOnNewConnection: Bool { long(CURLINFO_NUM_CONNECTS) > 0 }
  /// Whether a handshake failed for the network's sake. OpenSSL says only with SSL_ERROR_SYSCALL, or with an unexpected
  /// end, that nothing more came.
  var wasCutInHandshake: Bool {
    systemError != 0 || errorText.contains("SSL_ERROR_SYSCALL") || errorText.contains("unexpected eof")
  }
  var errorText: String { String(cString: errorBuffer) }
}
