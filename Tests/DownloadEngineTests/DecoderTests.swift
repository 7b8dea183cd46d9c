import DecoderProperties
import FoundationEssentials
import TestSupport
import Testing

/// What `Scripts/fuzz.sh` searches at length: a little of it, the same each time.
@Suite struct DecoderTests {
  private static let corpus = #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" } + "/Fuzz/corpus"

  private func seeds(of decoder: Decoder) throws -> [[UInt8]] {
    let folder = "\(Self.corpus)/\(decoder.rawValue)"
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { name in
      Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
    }
  }

  @Test(arguments: Decoder.allCases) func holdItsPropertiesForTheCorpus(_ decoder: Decoder) throws {
    let seeds = try seeds(of: decoder)
    #expect(seeds.count > 1)
    for seed in seeds { try decoder.check(seed) }
  }

  @Test(arguments: Decoder.allCases) func holdItsPropertiesForMutations(_ decoder: Decoder) throws {
    let seeds = try seeds(of: decoder)
    var chance = SplitMix64(state: 4)
    for _ in 0..<1000 { try decoder.check(mutation(of: seeds, &chance)) }
  }

  /// A seed with a few bytes changed, removed, repeated or taken from another.
  private func mutation(of seeds: [[UInt8]], _ chance: inout SplitMix64) -> [UInt8] {
    var bytes = seeds.randomElement(using: &chance) ?? []
    for _ in 0..<Int.random(in: 1...5, using: &chance) {
      let place = Int.random(in: 0...bytes.count, using: &chance)
      let end = min(bytes.count, place + Int.random(in: 0...8, using: &chance))
      let other = seeds.randomElement(using: &chance) ?? []
      let start = Int.random(in: 0...other.count, using: &chance)
      switch Int.random(in: 0..<5, using: &chance) {
      case 0: bytes.removeSubrange(place..<end)
      case 1: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 2: bytes.replaceSubrange(place..<end, with: other[start...].prefix(16))
      case 3 where place < end: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
      default: bytes.insert(Self.telling.randomElement(using: &chance) ?? 0, at: place)
      }
    }
    return bytes
  }

  /// Bytes that mean something somewhere, and the bytes of code points that are hidden.
  private static let telling = Array("\"'\\;:,=*/-. %@?#&$019\r\n\t\0\u{7F}é\u{202E}\u{9B}".utf8)
}
