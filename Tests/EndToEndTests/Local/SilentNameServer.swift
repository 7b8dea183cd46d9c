import Glibc
import TestSupport

/// A name server on a loopback address of its own that takes queries and never answers. Its port is root's to bind.
final class SilentNameServer: Sendable {
  /// Where it is.
  let address: String
  private let descriptor: Int32

  /// Throws `SystemCallFailure`.
  init() throws {
    let host = in_addr_t(0x7F00_0000 | UInt32.random(in: 0x01_0000...0xFE_FFFE))
    address = "\(host >> 24).\(host >> 16 & 255).\(host >> 8 & 255).\(host & 255)"
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = in_port_t(53).bigEndian
    name.sin_addr.s_addr = host.bigEndian
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw SystemCallFailure("bind \(address):53") }
  }

  deinit { close(descriptor) }

  /// Waits for a query, ten seconds at most, and says whether one has come.
  func waitForQuery() -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 10_000) == 1
  }
}

extension SilentNameServer {
  /// The command where this is the only name server, in a mount namespace of its own.
  func resolving(_ runner: CommandRunner, in folder: TemporaryFolder) throws -> CommandRunner {
    try folder.write("nameserver \(address)\n", to: "resolv.conf")
    var changed = runner
    changed.executable = "unshare"
    let lines = "mount --bind \(folder.path("resolv.conf")) /etc/resolv.conf && exec \"$0\" \"$@\""
    changed.arguments = ["-m", "sh", "-c", lines, runner.executable] + runner.arguments
    return changed
  }
}
