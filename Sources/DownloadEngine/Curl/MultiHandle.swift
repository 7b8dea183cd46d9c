import Ccurl
import Glibc

/// Owns libcurl's multi handle: the connections, and the poll over all of them.
struct MultiHandle: ~Copyable {
  private let raw: UnsafeMutableRawPointer

  /// Keeps up to `connections` idle connections for the next requests.
  init(connections: Int) {
    CurlLibrary.prepare()
    guard let handle = curl_multi_init() else { preconditionFailure("libcurl has no memory left") }
    raw = handle
    _ = swoop_curl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, connections)
    _ = swoop_curl_multi_set_long(raw, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
  }

  deinit { curl_multi_cleanup(raw) }

  func add(_ easy: borrowing EasyHandle) {
    let code = curl_multi_add_handle(raw, easy.raw)
    precondition(code == CURLM_OK, "libcurl takes no transfer: \(code.rawValue)")
  }
  func remove(_ easy: borrowing EasyHandle) { curl_multi_remove_handle(raw, easy.raw) }

  /// Lets every transfer do what it can do now.
  func perform() {
    var running: Int32 = 0
    curl_multi_perform(raw, &running)
  }

  /// Waits for the sockets, and for one more descriptor, at most `milliseconds`.
  func poll(_ descriptors: [Int32], milliseconds: Int) {
    var extra = descriptors.map { curl_waitfd(fd: $0, events: Int16(CURL_WAIT_POLLIN), revents: 0) }
    curl_multi_poll(raw, &extra, UInt32(extra.count), Int32(milliseconds), nil)
  }

  /// A transfer that has ended since the last call: its easy handle, and how.
  func nextDone() -> (easy: UnsafeMutableRawPointer, code: CurlCode)? {
    var left: Int32 = 0
    while let message = curl_multi_info_read(raw, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      return (easy, CurlCode(swoop_curl_message_result(message)))
    }
    return nil
  }
}
