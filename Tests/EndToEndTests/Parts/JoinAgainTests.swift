import FaultCatalogue
import TestSupport
import Testing

/// A job that is run again after it had joined the file, and what the lines about failures advise.
@Suite(.waiting) struct JoinAgainTests {
  private static let ranges = ["0-6999999", "7000000-13999999", "14000000-20000000"]
  private static let names = ["a", "b", "c"]

  private static func parts() throws -> Trial {
    let trial = try Trial.parts()
    for (range, name) in zip(ranges, names) { try trial.fetchPart(range, as: name) }
    return trial
  }

  private static func filled() throws -> Trial {
    let trial = try Trial.parts()
    for range in ranges { try trial.fill(range, of: "f") }
    return trial
  }

  private func join(_ trial: Trial, _ words: [String]) throws -> CommandResult {
    try trial.swoop(["join"] + words).run()
  }

  @Test(arguments: [false, true]) func itIsComplete(hasDigest: Bool) throws {
    let trial = try Self.parts()
    let digest = try hasDigest ? ["--sha256", trial.sha256()] : []
    let words = ["-o", "w"] + digest + Self.names
    trial.expect(try join(trial, words), code: 0, says: "joined 3 parts")
    let names = trial.names
    let proof = hasDigest ? "sha256 verified" : "not verified"
    trial.expect(try join(trial, words), code: 0, says: "w is already complete", proof)
    let json = try ParsedJSON(parsing: join(trial, ["--json", "-q"] + words).output)
    #expect(json["outcome"].string == "already complete" && json["bytes"].integer == trial.content.length)
    #expect(try json["crc32"].string == trial.content.crc32(of: 0..<trial.content.length))
    #expect(trial.names == names)
    // A byte that is another one makes it another file.
    try trial.damage("w", at: 9_000_000)
    let damaged = try trial.folder.bytes(trial.placed("w"))
    trial.expect(try join(trial, words), code: 10, says: "w exists")
    #expect(try trial.folder.bytes(trial.placed("w")) == damaged)
    trial.expect(try join(trial, ["--force"] + words), code: 0, says: "joined 3 parts")
    try trial.expect("w", is: 0..<trial.content.length)
  }

  @Test func thePartsWereRemoved() throws {
    let trial = try Self.parts()
    let words = try ["-o", "w", "--remove-parts", "--sha256", trial.sha256()] + Self.names
    trial.expect(try join(trial, words), code: 0)
    #expect(trial.names == ["w"])
    trial.expect(try join(trial, words), code: 0, says: "w is already complete", "sha256 verified")
    let wrong = ["-o", "w", "--sha256", String(repeating: "0", count: 64)] + Self.names
    trial.expect(try join(trial, wrong), code: 11, says: "no such file")
    #expect(trial.names == ["w"])
  }

  /// The first run was killed before it had removed them, or some of them.
  @Test func thePartsAreToBeRemoved() throws {
    let trial = try Self.parts()
    let words = try ["-o", "w", "--sha256", trial.sha256()] + Self.names
    trial.expect(try join(trial, words), code: 0)
    trial.expect(try join(trial, ["--remove-parts"] + words), code: 0, says: "already complete")
    #expect(trial.names == ["w"])
    try trial.fetchPart(Self.ranges[1], as: "b")
    trial.expect(try join(trial, ["--remove-parts"] + words), code: 0, says: "already complete", "these stay: b")
    #expect(trial.names == ["b", "b.part.json", "w"])
  }

  @Test(arguments: [false, true]) func inPlace(keepsManifest: Bool) throws {
    let trial = try Self.filled()
    let keep = keepsManifest ? ["--keep-manifest"] : []
    let digest = try ["--sha256", trial.sha256()]
    trial.expect(try join(trial, keep + digest + ["f"]), code: 0, says: "joined 3 parts")
    let names = trial.names
    trial.expect(try join(trial, digest + ["f"]), code: 0, says: "f is already complete", "sha256 verified")
    let wrong = ["--sha256", String(repeating: "0", count: 64), "f"]
    if keepsManifest {
      trial.expect(try join(trial, ["f"]), code: 0, says: "f is already complete", "not verified")
      trial.expect(try join(trial, wrong), code: 5, says: "sha256 of f does not match")
    } else {
      trial.expect(try join(trial, ["f"]), code: 11, says: "it may be joined already", "--sha256 HEX")
      trial.expect(try join(trial, wrong), code: 11, says: "it may be joined already", "sha256 of f does not match")
    }
    #expect(trial.names == names)
    try trial.expect("f", is: 0..<trial.content.length)
  }

  /// The first run was killed when it removed the manifests.
  @Test func someManifestsAreLeft() throws {
    let trial = try Self.filled()
    trial.folder.remove(trial.placed("f.\(Self.ranges[0]).part.json"))
    trial.expect(try join(trial, ["f"]), code: 11, says: "bytes 0-6999999")
    trial.expect(try join(trial, ["--sha256", trial.sha256(), "f"]), code: 0, says: "f is already complete")
    #expect(trial.names == ["f"])
  }

  /// What the line says works as it stands there.
  @Test func theAdviceAboutDamage() throws {
    let trial = try Self.parts()
    try trial.damage("b", at: 3_000_000)
    let command = ["verify", "--repair", trial.server.url(trial.path), "b"]
    let advice = "swoop " + command.joined(separator: " ")
    trial.expect(try join(trial, ["-o", "w"] + Self.names), code: 5, says: "b is damaged", advice)
    #expect(try trial.swoop(command).run().output == "b: repaired (1048576 bytes fetched again)\n")
    trial.expect(try join(trial, ["-o", "w"] + Self.names), code: 0)
    try trial.expect("w", is: 0..<trial.content.length)
  }

  @Test func theAdviceInPlace() throws {
    let trial = try Self.filled()
    try trial.damage("f", at: 8_000_000)
    let (range, url) = (Self.ranges[1], trial.server.url(trial.path))
    let command = ["--range", range, "--output-offset", "7000000", "-o", "f", url]
    trial.expect(
      try join(trial, ["f"]), code: 5, says: "f is damaged", "swoop " + command.joined(separator: " "))
    trial.expect(try trial.swoop(command).run(), code: 0)
    trial.expect(try join(trial, ["f"]), code: 0)
  }

  /// Another address names the manifest, which is what `resume` takes.
  @Test func anotherAddressInPlace() throws {
    let trial = try Self.filled()
    let words = ["--range", Self.ranges[1], "--output-offset", "7000000", "-o", "f"]
    let result = try trial.command(words, url: trial.server.url("/other.bin")).run()
    trial.expect(result, code: 11, says: "swoop resume f.\(Self.ranges[1]).part.json --url NEW")
  }

  @Test(arguments: ["-", "/dev/null"]) func noFileIsNamed(output: String) throws {
    let trial = try Self.parts()
    let names = trial.names
    trial.expect(try join(trial, ["-o", output] + Self.names), code: 2, says: "join makes a file")
    #expect(trial.names == names)
  }
}
