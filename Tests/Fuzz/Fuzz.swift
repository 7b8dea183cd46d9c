import DecoderProperties
import Glibc

/// The decoder that FUZZ_TARGET names.
private let decoder: Decoder = {
  guard let name = getenv("FUZZ_TARGET"), let decoder = Decoder(rawValue: String(cString: name)) else {
    fatalError("FUZZ_TARGET is one of: " + Decoder.allCases.map(\.rawValue).joined(separator: " "))
  }
  return decoder
}()

/// What libFuzzer calls with each input (llvm.org/docs/LibFuzzer.html). A property that does not hold is a crash.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(BrokenProperty) {
    try decoder.check(Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    fatalError("\(decoder.rawValue): \(error)")
  }
  return 0
}
