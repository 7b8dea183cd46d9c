internal import DownloadCore

extension Flags {
  static let request: [Flag] = [
    Flag(
      long: "header", short: "H", category: .request, help: "an own header, repeatable; @FILE reads lines",
      details: "Sent to the origin (scheme, host, port) of the URL only, never across a redirect.",
      verbs: Flag.requests, needsRepair: true, secret: .headerValue,
      effect: .value("'NAME: VALUE'") { $0.headers.append(try HeaderLine.source($1)) }),
    Flag(
      long: "user-agent", short: "A", category: .request, help: "what swoop calls itself",
      verbs: Flag.requests, needsRepair: true,
      effect: .value("TEXT") { $0.http.userAgent = try Text.line($1, of: "--user-agent") }),
    Flag(
      long: "referer", short: "e", category: .request, help: "the page that the link was on", verbs: Flag.requests,
      needsRepair: true, secret: .url,
      effect: .value("URL") { $0.http.referer = try Text.line($1, of: "--referer") }),
    Flag(
      long: "cookie", short: "b", category: .request, help: "cookies to send: 'NAME=VALUE; ...'",
      details: "Files of cookies are not read.", verbs: Flag.requests, needsRepair: true, secret: .whole,
      effect: .value("COOKIES") { $0.http.cookie = try Text.cookie($1) }),
    Flag(
      long: "user", short: "u", category: .request, help: "name and password for the server",
      details: "Without a password it is asked for on the terminal.", verbs: Flag.requests, needsRepair: true,
      secret: .password,
      effect: .value("NAME[:PASSWORD]") { $0.http.credentials = try Text.credentials($1) }),
    Flag(
      long: "netrc", category: .request, help: "name and password from ~/.netrc",
      details:
        "Or from the file that NETRC names: the entry of the URL's host, for its origin alone. -u and a login in "
        + "the URL count before it.",
      verbs: Flag.network, effect: .toggle { $0.usesNetrc = true }),
  ]

  static let network: [Flag] = [
    Flag(
      long: "ipv4", short: "4", category: .network, help: "over IPv4 only",
      details: "Of -4 and -6 the last one counts.",
      verbs: Flag.network, effect: .toggle { $0.http.addressFamily = .ipv4 }),
    Flag(
      long: "ipv6", short: "6", category: .network, help: "over IPv6 only", verbs: Flag.network,
      effect: .toggle { $0.http.addressFamily = .ipv6 }),
    Flag(
      long: "interface", category: .network, help: "send from this interface, address or host",
      details: "if!NAME is an interface for sure, host!NAME is none.", verbs: Flag.network,
      effect: .value("NAME") { $0.http.interface = try Text.interface($1) }),
    Flag(
      long: "resolve", category: .network, help: "HOST:PORT:ADDRESS[,ADDRESS]: where a host is, repeatable",
      details: "Nobody is asked for the address then. * is any host, and an IPv6 address stands in brackets.",
      verbs: Flag.network, effect: .value("WHERE") { $0.http.resolutions.append(try Resolution.checked($1)) }),
    Flag(
      long: "proxy", short: "x", category: .network, help: "http, https, socks4, socks4a, socks5 or socks5h",
      details: "HOST:PORT alone is an http proxy; '' is none. The usual environment variables count too.",
      verbs: Flag.network, secret: .url,
      effect: .value("URL") { $0.http.proxy = try ProxyAddress.checked($1) }),
    Flag(
      long: "no-proxy", category: .network, help: "hosts to reach without the proxy, with commas; * is all",
      verbs: Flag.network,
      effect: .value("LIST") { $0.http.noProxy = try Text.line($1, of: "--no-proxy") }),
    Flag(
      long: "insecure", short: "k", category: .network, help: "do not check the server's certificate",
      verbs: Flag.network,
      effect: .toggle { $0.http.isInsecure = true }),
    Flag(
      long: "cacert", category: .network, help: "certificates to trust, PEM",
      verbs: Flag.network,
      effect: .value("FILE") { $0.http.authorities = try Text.fileName($1, of: "--cacert") }),
    Flag(
      long: "cert", category: .network, help: "our own certificate, PEM",
      verbs: Flag.requests, needsRepair: true,
      effect: .value("FILE") { $0.http.certificate = try Text.fileName($1, of: "--cert") }),
    Flag(
      long: "key", category: .network, help: "its private key, PEM",
      verbs: Flag.requests, needsRepair: true,
      effect: .value("FILE") { $0.http.key = try Text.fileName($1, of: "--key") }),
  ]
}
