import Ccurl

/// What libcurl points back at: each callback only finds its object and calls a method of it.
class CurlReceiver {
  /// The connection is made, the request is about to go out; false: it must not.
  func requestGoesOut() -> Bool { true }

  /// Takes a line of a head; less than its length ends the transfer.
  func takeHeader(_ line: UnsafeRawBufferPointer) -> Int { line.count }

  /// Takes a piece of the body; less than its length ends the transfer, `pause` has it wait for `EasyHandle.goOn`.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int { bytes.count }
  static var pause: Int { Int(CURL_WRITEFUNC_PAUSE) }

  fileprivate static func from(_ user: UnsafeMutableRawPointer?) -> CurlReceiver {
    Unmanaged<CurlReceiver>.fromOpaque(user!).takeUnretainedValue()
  }
}

extension EasyHandle {
  /// Sends the callbacks to a receiver, which must outlive the handle.
  func setReceiver(_ receiver: CurlReceiver) {
    let user = Unmanaged.passUnretained(receiver).toOpaque()
    set(CURLOPT_WRITEDATA, pointer: user)
    set(CURLOPT_HEADERDATA, pointer: user)
    set(CURLOPT_PREREQDATA, pointer: user)
    set(CURLOPT_WRITEFUNCTION) { bytes, size, count, user in
      CurlReceiver.from(user).takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    set(CURLOPT_HEADERFUNCTION) { bytes, size, count, user in
      CurlReceiver.from(user).takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    set(requestCallback: { user, _, _, _, _ in
      Int32(CurlReceiver.from(user).requestGoesOut() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
    })
  }
}
