internal import Glibc

/// A port of the loopback interface, to listen on or to connect to.
struct LoopbackAddress {
  let port: UInt16
  var isIPv6 = false

  /// A listening socket: this one, which has a port, or a new one. It is closed where it cannot listen.
  func listen(on socket: Int32? = nil) throws -> Int32 {
    let descriptor = try socket ?? bound(isReusable: true)
    do {
      try checked("listen") { Glibc.listen(descriptor, 1024) }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// A socket that has the port and does not listen yet: connections are refused. `isReusable`: others may be bound to
  /// the port at the same time, until one listens; and connections that ended just now do not matter.
  func bound(isReusable: Bool = false) throws -> Int32 {
    let descriptor = try makeSocket()
    do {
      var on: Int32 = isReusable ? 1 : 0
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
      try checked("bind to port \(port)") { withAddress { bind(descriptor, $0, $1) } }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// A socket for datagrams (UDP).
  func datagramSocket() throws -> Int32 {
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = try checked("socket") { socket(isIPv6 ? AF_INET6 : AF_INET, type, 0) }
    do {
      try checked("bind to port \(port)") { withAddress { bind(descriptor, $0, $1) } }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// A connected socket.
  func connect() throws -> Int32 {
    let descriptor = try makeSocket()
    do {
      try checked("connect to port \(port)") { withAddress { Glibc.connect(descriptor, $0, $1) } }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// A port that nobody listened on a moment ago.
  static func freePort() throws -> UInt16 {
    let descriptor = try LoopbackAddress(port: 0).listen()
    defer { close(descriptor) }
    return try port(of: descriptor)
  }

  /// The port that a socket is bound to.
  static func port(of descriptor: Int32) throws -> UInt16 {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    try withUnsafeMutablePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = try checked("getsockname") { getsockname(descriptor, address, &length) }
      }
    }
    // The port has the same place in both families' addresses.
    return UInt16(bigEndian: address.sin6_port)
  }

  private func makeSocket() throws -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    return try checked("socket") { socket(isIPv6 ? AF_INET6 : AF_INET, type, 0) }
  }

  private func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    guard isIPv6 else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      return rebound(&address, body)
    }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    return rebound(&address, body)
  }

  private func rebound<Address, Result>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}
