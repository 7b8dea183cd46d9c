internal import Glibc
internal import TestSupport

// Downloads against servers that do anything, of a command to which anything happens, until the time is up or a promise
// is broken. Then the case's seed is told and its folder kept, and the exit code is 1.

/// A line at once, whatever standard output is.
@Sendable func say(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}

/// Plays a case, and says how it went.
@Sendable func play(_ seed: UInt64, _ tally: Tally, evidence: String) {
  var torture: TortureCase?
  do {
    let made = try TortureCase(seed: seed)
    torture = made
    try made.play()
    tally.add(made.codes)
    say("case \(seed): \(made.codes)")
  } catch {
    tally.end()
    say("case \(seed): BROKEN: \(error)")
    guard let torture else { return }
    do {
      try say("evidence: \(torture.keep(in: evidence, because: "\(error)"))")
    } catch {
      say("evidence: cannot be kept: \(error)\n\(torture.report)")
    }
  }
}

let options: TortureOptions
do {
  options = try TortureOptions(CommandLine.arguments.dropFirst())
} catch {
  say("torture: \(error)\n\n\(TortureOptions.usage)")
  exit(2)
}
say("torture: from seed \(options.seed), \(options.jobs) at a time")
let tally = Tally(options)
let working = Monitor(options.jobs)
for _ in 0..<options.jobs {
  try BackgroundThread.start { [options] in
    while let seed = tally.next() { play(seed, tally, evidence: options.evidence) }
    working.change { $0 -= 1 }
  }
}
while !working.wait(timeout: .seconds(60), until: { $0 == 0 }) { say("torture: \(tally.description)") }
say("torture: \(tally.description)")
exit(tally.isBroken ? 1 : 0)
