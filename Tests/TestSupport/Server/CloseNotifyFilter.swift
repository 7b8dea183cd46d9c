/// Leaves the alert that ends a connection out of a stream of TLS 1.3 records (RFC 8446, section 5), as one does whose
/// end never comes.
struct CloseNotifyFilter {
  /// The header of the record that begins, as far as it has come.
  private var header: [UInt8] = []
  /// Bytes of the record that have not come yet.
  private var left = 0
  private var isAlert = false

  /// The bytes that go on.
  mutating func pass(_ bytes: [UInt8]) -> [UInt8] {
    var passed: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard left == 0 else {
        if !isAlert { passed += rest.prefix(left) }
        let count = min(left, rest.count)
        rest = rest.dropFirst(count)
        left -= count
        continue
      }
      header.append(rest.removeFirst())
      guard header.count == 5 else { continue }
      left = Int(header[3]) << 8 | Int(header[4])
      // Encrypted, and as long as an alert with its kind and 16 bytes that authenticate it.
      isAlert = header[0] == 23 && left == 2 + 1 + 16
      if !isAlert { passed += header }
      header = []
    }
    return passed
  }
}
