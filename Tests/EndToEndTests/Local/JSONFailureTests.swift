import FaultCatalogue
import TestSupport
import Testing

/// With `--json` a failure of a verb has the members of the verb's success.
@Suite(.waiting) struct JSONFailureTests {
  private static let verify: Set = ["path", "digests", "verified", "exit", "error"]
  private static let repair = verify.union(["fetched"])
  private static let join = verify.union(["outcome", "bytes", "parts", "crc32"])
  private static let status: Set = ["path", "url", "done", "total", "missing", "digests", "exit", "error"]
  private static let plan: Set = ["url", "length", "etag", "lastModified", "parts", "exit", "error"]

  /// Runs, and gives the one object, which must have just these members, on standard output and as an event.
  private func failure(
    _ trial: Trial, _ words: [String], code: Int64, _ members: Set<String>, location: SourceLocation = #_sourceLocation
  ) throws -> ParsedJSON {
    let result = try trial.swoop(words + ["--json", "--progress", "json"]).run()
    let object = try ParsedJSON(parsing: result.output)
    #expect(object.names == members, "\(result.output)", sourceLocation: location)
    #expect(object["exit"].integer == code && Int64(result.exitCode) == code, sourceLocation: location)
    #expect(object["error"].string?.isEmpty == false, "\(result.output)", sourceLocation: location)
    let end = try #require(result.error.split(separator: "\n").last, sourceLocation: location)
    let event = try ParsedJSON(parsing: end)
    for name in members { #expect(event[name] == object[name], "\(result.error)", sourceLocation: location) }
    return object
  }

  private func refusing() throws -> Trial { try Trial(.pattern(length: 20_000_001), .status(404)) }

  @Test func ofVerify() throws {
    let trial = try refusing()
    #expect(try failure(trial, ["verify", "a"], code: 2, Self.verify)["path"].string == "a")
    #expect(try failure(trial, ["verify", "-c", trial.server.url("/SUMS")], code: 4, Self.verify)["path"] == .null)
    let several = ["verify", "-c", "nothing", "a", "b"]
    #expect(try failure(trial, several, code: 2, Self.verify)["path"] == .null)
  }

  @Test func ofARepair() throws {
    let trial = try Trial.parts()
    trial.expect(try trial.run("--keep-manifest"), code: 0)
    let words = ["verify", "--repair", trial.server.url("/file.bin"), "./file.bin"]
    let right = try ParsedJSON(parsing: trial.swoop(words + ["--json"]).run().output)
    #expect(right.names == Self.repair && right["path"].string == "./file.bin")
    try trial.folder.truncate(trial.placed("file.bin"), to: 1000)
    let object = try failure(trial, words, code: 11, Self.repair)
    #expect(object["path"].string == "./file.bin" && object["fetched"].integer == 0)
    #expect(object["digests"].names.isEmpty && object["verified"].array == [])
    let two = ["verify", "--repair", trial.server.url("/file.bin"), "a", "b"]
    #expect(try failure(trial, two, code: 2, Self.repair)["path"] == .null)
  }

  @Test func ofJoin() throws {
    let trial = try Trial.parts()
    try trial.fetchPart("0-999999", as: "p1")
    let object = try failure(trial, ["join", "-o", "sub/all", "p1"], code: 11, Self.join)
    #expect(object["path"].string == "sub/all" && object["outcome"].string == "failed", "\(object)")
    #expect(object["crc32"] == .null && object["bytes"] == .null && object["parts"] == .null)
    #expect(try failure(trial, ["join", "p1"], code: 11, Self.join)["path"] == .null)
    #expect(try failure(trial, ["join", "whole"], code: 11, Self.join)["path"].string == "whole")
    #expect(try failure(trial, ["join"], code: 2, Self.join)["path"] == .null)
  }

  @Test func ofPlan() throws {
    let trial = try refusing()
    let url = trial.server.url("/a?token=S3CR3T")
    let object = try failure(trial, ["plan", url, "--parts", "3"], code: 4, Self.plan)
    #expect(object["url"].string?.contains("/a") == true && object["url"].string?.contains("S3CR3T") == false)
    #expect(object["parts"].array == [] && object["length"] == .null)
    #expect(try failure(trial, ["plan", "--parts", "3"], code: 2, Self.plan)["url"] == .null)
    trial.heal()
    let right = try trial.swoop("plan", trial.server.url("/a"), "--parts", "3", "--json")
    let plan = try ParsedJSON(parsing: right.output)
    #expect(plan.names == Self.plan && plan["exit"].integer == 0 && plan["error"] == .null, "\(right.output)")
    #expect(plan["parts"].array?.count == 3)
    let usual = try ParsedJSON(parsing: trial.swoop("plan", trial.server.url("/a"), "--parts", "3").output)
    #expect(usual.names == Self.plan.subtracting(["exit", "error"]))
  }

  @Test func ofStatus() throws {
    let trial = try refusing()
    #expect(try failure(trial, ["status", "sub/a.part"], code: 11, Self.status)["path"].string == "sub/a.part")
    #expect(try failure(trial, ["status", "a"], code: 2, Self.status)["path"].string == "a")
    #expect(try failure(trial, ["status"], code: 2, Self.status)["path"] == .null)
  }

  /// An entry that is spoilt by an option has its URL all the same.
  @Test(arguments: ["nonsense=1", "jobs=3", "output=../c", "md5=12"]) func ofAnEntryOfAList(option: String) throws {
    let shelf = try Shelf()
    let list = "u:S3CR3T@" + shelf.server.url("/f1.bin?token=S3CR3T").dropFirst("http://".count) + "\n  \(option)\n"
    let result = try shelf.run("http://" + list + "not-a-url\n" + shelf.list([2]), "--json")
    #expect(result.exitCode == 2 && !result.output.contains("S3CR3T"), "\(result.output)")
    let objects = try result.output.split(separator: "\n").map { try ParsedJSON(parsing: $0) }
    let failed = objects.filter { $0["outcome"].string == "failed" }
    #expect(failed.contains { $0["url"].string?.contains("/f1.bin?token=") == true }, "\(result.output)")
    #expect(failed.contains { $0["url"] == .null } && failed.count == 2 && objects.count == 3, "\(result.output)")
  }

  /// Of a partial file that cannot be gone on with, its manifest tells the URL.
  @Test func ofResume() throws {
    let trial = try Trial.parts()
    trial.expect(try trial.run("--keep-manifest"), code: 0)
    let result = try trial.swoop("resume", "--json", "file.bin.part")
    let object = try ParsedJSON(parsing: result.output)
    #expect(object["url"].string == trial.server.url("/file.bin") && object["path"].string == "file.bin")
    #expect(object["exit"].integer == 11 && object["outcome"].string == "failed", "\(result.output)")
  }
}
