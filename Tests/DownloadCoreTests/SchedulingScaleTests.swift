import DownloadCore
import Testing

/// What planning and scheduling cost does not depend on the size of the file.
@Suite struct SchedulingScaleTests {
  private func network(_ length: Int64, rate: Double) -> NetworkSimulator {
    var network = NetworkSimulator(length: length, limit: .fixed(16))
    network.link = { SimulatedLink(rate: rate * Double(4 + $0 % 3)) }
    return network
  }

  /// A GiB, and a TiB at a thousand times the rate.
  @Test func aTebibyteTakesNoMoreRequestsThanAGibibyte() throws {
    var (short, long) = (network(1024 * mebi, rate: mebiRate), network(mebi * mebi, rate: 1024 * mebiRate))
    let (few, many) = (try finish(&short, 1024 * mebi), try finish(&long, mebi * mebi))
    // The first ranges have a fixed length, and are too short to show a rate where they take no time.
    #expect(many.starts.count <= few.starts.count + 4 * 16)
    #expect(many.looks <= 2 * few.looks)
  }

  @Test func aMinuteOfATebibyteCostsAMinute() {
    let records = [16384 * mebi, mebi * mebi].map { length -> SimulationRecord in
      var network = network(length, rate: mebiRate)
      let record = network.run(until: 60)
      #expect(network.scheduler.missing.ranges.count <= 32)
      return record
    }
    #expect(records[1].starts.count <= records[0].starts.count + 16)
    #expect(records[1].looks <= records[0].looks + 50)
  }
}
