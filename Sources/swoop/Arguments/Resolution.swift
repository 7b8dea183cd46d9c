internal import DownloadCore
internal import Glibc

/// Checks `--resolve`, so that a wrong one is found before anything runs: `[+]HOST:PORT:ADDRESS[,ADDRESS]`, or
/// `-HOST:PORT` (CURLOPT_RESOLVE(3)).
enum Resolution {
  /// The text as libcurl takes it, with every IPv6 address in brackets.
  static func checked(_ text: String) throws(DownloadError) -> String {
    guard let entry = entry(text) else {
      throw .usage("--resolve needs HOST:PORT:ADDRESS[,ADDRESS], not '\(Redactor.address(text))'")
    }
    return entry
  }

  private static func entry(_ text: String) -> String? {
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    let (isRemoval, mayExpire) = (text.hasPrefix("-"), text.hasPrefix("+"))
    guard parts.count == (isRemoval ? 2 : 3) else { return nil }
    let host = isRemoval || mayExpire ? parts[0].dropFirst() : parts[0]
    guard isHost(host), let port = parts[1].plainDecimal, 1...65535 ~= port else { return nil }
    guard !isRemoval else { return text }
    let addresses = parts[2].split(separator: ",", omittingEmptySubsequences: false).map(bracketed)
    guard addresses.allSatisfy({ $0 != nil }) else { return nil }
    return "\(parts[0]):\(parts[1]):" + addresses.compactMap(\.self).joined(separator: ",")
  }

  private static func isHost(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"[]/@?#,".utf8.contains($0) }
  }

  /// Nil for what is no address.
  private static func bracketed(_ text: Substring) -> String? {
    if isAddress(String(text), AF_INET) { return String(text) }
    let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : String(text)
    return isAddress(bare, AF_INET6) ? "[\(bare)]" : nil
  }

  private static func isAddress(_ text: String, _ family: Int32) -> Bool {
    var address = in6_addr()
    return inet_pton(family, text, &address) == 1
  }
}
