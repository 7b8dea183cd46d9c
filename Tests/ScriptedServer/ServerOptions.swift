internal import TestSupport

/// The command line of the server.
struct ServerOptions {
  /// A word that cannot be understood.
  struct UsageError: Error, CustomStringConvertible {
    let description: String
  }

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
    var words = words.makeIterator()
    while let option = words.next() {
      guard let value = words.next() else { throw UsageError(description: "\(option) needs a value") }
      guard set(option, to: value) else { throw UsageError(description: "not understood: \(option) \(value)") }
    }
    guard (length == nil) != (file == nil) else {
      throw UsageError(description: "either --length or --file is needed")
    }
  }

  /// What is to be served.
  func content() throws -> Content {
    if let file { return try .file(file) }
    return .pattern(length: length ?? 0, seed: seed)
  }

  private mutating func set(_ option: String, to value: String) -> Bool {
    switch option {
    case "--length":
      length = Self.size(value)
      return length != nil
    case "--file":
      file = value
      return true
    case "--name":
      name = value
      return true
    case "--rate":
      settings.rate = Self.rate(value)
      return settings.rate != nil
    case "--total-rate":
      settings.totalRate = Self.rate(value)
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

  private static func rate(_ text: String) -> Double? {
    size(text).flatMap { $0 > 0 ? Double($0) : nil }
  }

  private static func size(_ text: String) -> Int64? {
    let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    guard let number = Int64(unit == nil ? text : String(text.dropLast())), number >= 0 else { return nil }
    let (size, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    return overflow ? nil : size
  }
}
