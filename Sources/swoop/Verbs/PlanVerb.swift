internal import DownloadCore
internal import DownloadEngine

/// `swoop plan URL --parts N`: the ranges that several machines can fetch, the same for each that asks.
enum PlanVerb {
  static func run(_ arguments: Arguments) throws(DownloadError) -> Failure? {
    let count = try check(arguments)
    Diagnostics.noteConfiguration(of: arguments)
    let request = try arguments.withPassword(arguments.requests()[0])
    let resource = try Sidelines.run(arguments) { sidelines throws(DownloadError) in
      try Inquiry(request, signals: sidelines.signals, limiter: sidelines.limiter) { event in
        sidelines.printer.receive(event, of: nil)
      }.run()
    }
    let plan = try plan(count, resource, request)
    guard let part = arguments.part else {
      let ending = arguments.printsJSON ? JobRecord.ending(nil) : []
      try Results.print(JSONValue.object(members(plan, resource, request.url) + ending).text + "\n")
      return nil
    }
    try Results.print("\(plan.range(of: part).inclusiveText)\n")
    return nil
  }

  /// Throws where the words make no sense; returns how many parts are wanted.
  static func check(_ arguments: Arguments) throws(DownloadError) -> Int {
    guard arguments.operands.count == 1 else { throw .usage("plan needs one URL") }
    guard let count = arguments.parts else { throw .usage("plan needs a number of parts: --parts N") }
    guard arguments.part ?? 0 < count else {
      throw .usage("--part counts from 0: of \(count) parts the last is \(count - 1), not \(arguments.part ?? 0)")
    }
    return count
  }

  private static func plan(
    _ count: Int, _ resource: Resource, _ request: DownloadRequest
  ) throws(DownloadError) -> PartPlan {
    guard let length = resource.length else { throw .cannotPlan(request.url, "the server does not tell its length") }
    guard length > 0 else { throw .cannotPlan(request.url, "it is empty") }
    guard resource.offersRanges else {
      throw .cannotPlan(request.url, "the server does not give parts of it (no ranges)")
    }
    guard let plan = PartPlan(length: length, parts: count) else {
      throw .cannotPlan(
        request.url, "it has \(length) bytes, which do not make \(count) parts; use --parts \(length) at most")
    }
    return plan
  }

  static func members(_ plan: PartPlan, _ resource: Resource, _ url: RemoteURL) -> [JSONMember] {
    let parts = (0..<plan.count).map { index in
      let range = plan.range(of: index)
      return JSONValue.object([
        JSONMember("index", .integer(Int64(index))), JSONMember("range", .string(range.inclusiveText)),
        JSONMember("offset", .integer(range.start)), JSONMember("length", .integer(range.count)),
      ])
    }
    return [
      JSONMember("url", .string(url.withoutSecrets)), JSONMember("length", .integer(plan.length)),
      JSONMember("etag", .text(resource.validator.etag)),
      JSONMember("lastModified", .text(resource.validator.lastModified)), JSONMember("parts", .array(parts)),
    ]
  }
  /// The members after a failure, of which no plan came.
  static func members(url: String?, _ error: DownloadError) -> [JSONMember] {
    [
      JSONMember("url", .text(url)), JSONMember("length", .null), JSONMember("etag", .null),
      JSONMember("lastModified", .null), JSONMember("parts", .array([])),
    ] + JobRecord.ending(error)
  }
}
