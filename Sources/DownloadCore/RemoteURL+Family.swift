extension RemoteURL {
  /// That of the address that stands for the host; nil where a name does.
  package var addressFamily: AddressFamily? {
    if host.hasPrefix("[") { return .ipv6 }
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil } ? .ipv4 : nil
  }
}
