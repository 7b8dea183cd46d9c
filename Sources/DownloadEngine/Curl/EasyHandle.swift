import Ccurl

/// Owns one of libcurl's easy handles, and the lists that it points at.
struct EasyHandle: ~Copyable {
  let raw: UnsafeMutableRawPointer
  private var headers: HeaderList?
  private var resolved: HeaderList?

  init() {
    CurlLibrary.prepare()
    guard let handle = curl_easy_init() else { preconditionFailure("libcurl has no memory left") }
    raw = handle
  }

  deinit { curl_easy_cleanup(raw) }

  func set(_ option: CURLoption, _ value: Int) { check(swoop_curl_set_long(raw, option, value), option) }
  func set(_ option: CURLoption, _ value: Bool) { set(option, value ? 1 : 0) }
  func set(_ option: CURLoption, _ value: String?) {
    guard let value else { return }
    check(swoop_curl_set_string(raw, option, value), option)
  }
  func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
    check(swoop_curl_set_pointer(raw, option, pointer), option)
  }
  func set(_ option: CURLoption, callback: @escaping swoop_curl_data_callback) {
    check(swoop_curl_set_callback(raw, option, callback), option)
  }

  mutating func setHeaders(_ lines: [String]) {
    headers = HeaderList(lines)
    check(swoop_curl_set_list(raw, CURLOPT_HTTPHEADER, headers!.list), CURLOPT_HTTPHEADER)
  }

  /// Options are fixed at build time: one that this libcurl refuses is a fault of the build, not of the user.
  private func check(_ code: CURLcode, _ option: CURLoption) {
    precondition(code == CURLE_OK, "libcurl refuses option \(option.rawValue): \(code.rawValue)")
  }

  func long(_ info: CURLINFO) -> Int {
    var value = 0
    return swoop_curl_get_long(raw, info, &value) == CURLE_OK ? value : 0
  }

  func string(_ info: CURLINFO) -> String? {
    var value: UnsafeMutablePointer<CChar>?
    guard swoop_curl_get_string(raw, info, &value) == CURLE_OK, let value else { return nil }
    return String(cString: value)
  }
}
