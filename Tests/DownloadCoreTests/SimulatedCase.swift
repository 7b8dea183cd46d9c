import DownloadCore

/// A network with a download, made from a seed, and what its ideal is.
struct SimulatedCase {
  enum Kind: CaseIterable {
    case fixed, throttled, changing, dying, slowStart, limited, banned, paused, automatic
  }

  let kind: Kind
  let seed: UInt64
  var count: Int
  /// Of the path, in seconds: the longest that a connection takes to be made, or an answer to come.
  let latency: Double
  /// Without the deaths, which come on top.
  var links: [SimulatedLink] = []
  var capacity = Double.infinity
  var server = SimulatedServer()
  var pause: (at: Double, seconds: Double)?
  /// By place, of its first connections: after so many seconds silent (true), or after so many bytes broken.
  var deaths: [[(isSilent: Bool, after: Double)]]
  var length: Int64 = 0
  let stallTime = 10.0
  private var random: SeededGenerator

  init(_ kind: Kind, seed: UInt64) {
    self.kind = kind
    self.seed = seed
    random = SeededGenerator(seed: seed &* 31 &+ UInt64(Kind.allCases.firstIndex(of: kind)!))
    count = [1, 2, 3, 4, 5, 6, 8, 8, 12, 16, 16, 24, 32, 48, 64].randomElement(using: &random)!
    if kind == .automatic { count = ConnectionLimit.automaticMost }
    latency = [0.002, 0.01, 0.03, 0.05, 0.1, 0.2, 0.3].randomElement(using: &random)!
    deaths = Array(repeating: [], count: count)
    makeLinks()
    switch kind {
    case .fixed, .automatic: break
    case .throttled: throttle()
    case .changing: change()
    case .dying: die()
    case .slowStart: for index in links.indices { links[index].beginsSlowly = true }
    case .limited: refuse()
    case .banned: ban()
    case .paused: pause = (.random(in: 0.5...3, using: &random), .random(in: 1...100, using: &random))
    }
    let seconds = Double.random(in: 0...1.7, using: &random).exponential * max(1.5, 10 * latency)
    length = Int64(seconds * usable)
    // What goes faster for a time must not make it short.
    while kind == .throttled, ideal < max(1.5, 10 * latency) { length *= 2 }
  }

  /// Bytes a second that the connections can have together.
  private var usable: Double { min(capacity, links.map(\.rate).sorted(by: >).prefix(server.most).reduce(0, +)) }

  private mutating func makeLinks() {
    let base = 262_144 * Double.random(in: 0...3.5, using: &random).exponential
    let spread = [0, 0.1, 1, 2, 3].randomElement(using: &random)!
    let isEqual = [.limited, .banned, .automatic].contains(kind)
    for _ in 0..<count {
      var link = SimulatedLink(connectTime: latency, latency: latency * .random(in: 0.8...1, using: &random))
      link.rate = base * (isEqual ? 1 : Double.random(in: -spread / 2...spread / 2, using: &random).exponential)
      links.append(link)
    }
    if Int.random(in: 0..<3, using: &random) == 0 { capacity = usable * .random(in: 0.3...0.9, using: &random) }
  }

  private mutating func throttle() {
    for index in links.indices where Bool.random(using: &random) {
      let rate = links[index].rate
      links[index].burst = (
        rate * .random(in: 0.1...2, using: &random), rate * .random(in: 2...10, using: &random)
      )
    }
  }

  private mutating func change() {
    for index in links.indices where Bool.random(using: &random) {
      let rate = links[index].rate
      var time = 0.0
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        time += .random(in: 0.5...6, using: &random)
        links[index].changes.append((time, rate * Double.random(in: -2...2, using: &random).exponential))
      }
    }
  }

  private mutating func die() {
    for index in links.indices where Int.random(in: 0..<4, using: &random) == 0 {
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let isSilent = Bool.random(using: &random)
        let seconds = Double.random(in: 0...4, using: &random)
        deaths[index].append((isSilent, isSilent ? seconds : seconds * links[index].rate))
      }
    }
  }

  private mutating func refuse() {
    server.most = .random(in: 1...count, using: &random)
    server.retryAfter = [nil, 0, 1].randomElement(using: &random)!
  }

  private mutating func ban() {
    let requests = Int.random(in: max(4, count * 3 / 4)...2 * count + 4, using: &random)
    server.patience = (requests, .random(in: 1...10, using: &random), .random(in: 1...20, using: &random))
    server.retryAfter = [nil, 1].randomElement(using: &random)!
  }

  /// No wait keeps a place free, and no change of the rates makes a plan wrong.
  var keepsAllBusy: Bool { [.fixed, .throttled, .slowStart].contains(kind) }

  private var limit: ConnectionLimit { kind == .automatic ? .automatic : .fixed(count) }

  /// Seconds in which these connections would deliver it all at best.
  var ideal: Double { idealTime(for: length, links: links, most: server.most, capacity: capacity) }

  var network: NetworkSimulator {
    var network = NetworkSimulator(length: length, limit: limit, stallTime: stallTime)
    let (links, deaths) = (links, deaths)
    network.place = { place, life in
      var link = links[place]
      guard life < deaths[place].count else { return link }
      let death = deaths[place][life]
      if death.isSilent { link.later = (death.after, 0) } else { link.breaksAfter = Int64(death.after) }
      return link
    }
    network.capacity = capacity
    network.server = server
    network.pause = pause
    network.mostIdle = max(1 << 20, Int64(2 * latency * 2 * usable))
    network.random = SeededGenerator(seed: seed)
    return network
  }
}

extension Double {
  /// e to the power of this, for small numbers.
  fileprivate var exponential: Double {
    var (sum, term) = (1.0, 1.0)
    for index in 1..<30 {
      term *= self / Double(index)
      sum += term
    }
    return sum
  }
}
