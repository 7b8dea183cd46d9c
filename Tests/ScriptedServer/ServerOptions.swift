internal import TestSupport

/// The command line of the server.
struct ServerOptions {
  static let usage = """
    usage: scripted-server --length SIZE | --file PATH  [options]

      --length SIZE       serve SIZE made-up bytes; K, M, G and T are powers of 1024
      --file PATH         serve this file instead
      --seed N            other made-up bytes (default 1)
      --name NAME         the path is /NAME (default file.bin)
      --port N            listen on 127.0.0.1:N (default: a free port)
      --rate SIZE         bytes in a second for each connection
      --total-rate SIZE   bytes in a second for all connections together
      --delay-ms N        wait this long before each answer
    """

  private(set) var name = "file.bin"
  private(set) var delay = Duration.zero
  private(set) var settings = ScriptedServer.Settings()
  private var length: Int64?
  private var file: String?
  private var seed: UInt64 = 1

  init(_ words: some Sequence<String>) throws {
    try Service.readOptions(words) { set($0, to: $1) }
    guard (length == nil) != (file == nil) else { throw Service.UsageError("either --length or --file is needed") }
  }

  /// What is to be served.
  func content() throws -> Content {
    if let file { return try .file(file) }
    return .pattern(length: length ?? 0, seed: seed)
  }

  private mutating func set(_ option: String, to value: String) -> Bool {
    switch option {
    case "--length":
      length = Int64(size: value)
      return length != nil
    case "--file":
      file = value
      return true
    case "--name":
      name = value
      return true
    case "--rate":
      settings.rate = Double(rate: value)
      return settings.rate != nil
    case "--total-rate":
      settings.totalRate = Double(rate: value)
      return settings.totalRate != nil
    default:
      return setNumber(option, to: value)
    }
  }

  private mutating func setNumber(_ option: String, to value: String) -> Bool {
    guard let number = Int64(value), number >= 0 else { return false }
    switch option {
    case "--seed": seed = UInt64(number)
    case "--port": settings.port = UInt16(clamping: number)
    case "--delay-ms": delay = .milliseconds(number)
    default: return false
    }
    return true
  }
}
