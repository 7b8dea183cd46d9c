internal import TestSupport

// Makes a long, narrow path of loopback: passes connections on to a server, late and no faster than it is told, until
// TERM or INT. The first line of standard output is the port to connect to.

Service.run("path-relay", usage: RelayOptions.usage) {
  let options = try RelayOptions(CommandLine.arguments.dropFirst())
  let relay = try TCPRelay(to: options.target, totalRate: options.totalRate) { options.fate(of: $0) }
  return (relay, String(relay.port))
} stop: {
  $0.stop()
}
