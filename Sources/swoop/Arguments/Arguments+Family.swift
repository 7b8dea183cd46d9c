internal import DownloadCore

extension Arguments {
  /// Throws where an address of the other family than the one that was asked for can only fail. Through a proxy, and with
  /// `--resolve`, it need not.
  func checkFamily(of url: RemoteURL) throws(DownloadError) {
    guard let wanted = http.addressFamily, let family = url.addressFamily, family != wanted,
      http.resolutions.isEmpty, !mayUseProxy(for: url.scheme)
    else { return }
    let (option, name) = wanted == .ipv6 ? ("-6", "IPv4") : ("-4", "IPv6")
    throw .usage("\(option) cannot reach \(url.host), which is an \(name) address")
  }

  private func mayUseProxy(for scheme: String) -> Bool {
    guard http.proxy == nil else { return http.proxy?.isEmpty == false }
    let capitals = scheme == "http" ? [] : ["\(scheme.uppercased())_PROXY"]
    return (["\(scheme)_proxy", "all_proxy", "ALL_PROXY"] + capitals).contains { Environment.value($0) != nil }
  }
}
