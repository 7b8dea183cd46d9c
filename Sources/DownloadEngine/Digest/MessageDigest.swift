import Ccrypto
import DownloadCore

/// One digest being computed, with OpenSSL's EVP (EVP_DigestInit(3)): the processor's own instructions where it has any.
struct MessageDigest: ~Copyable {
  let algorithm: DigestAlgorithm
  private let context: OpaquePointer

  /// Nil where this OpenSSL does not offer the algorithm.
  init?(_ algorithm: DigestAlgorithm) {
    CryptoLibrary.prepare()
    guard let type = EVP_get_digestbyname(algorithm.rawValue), let context = EVP_MD_CTX_new() else { return nil }
    guard EVP_DigestInit_ex(context, type, nil) == 1 else {
      EVP_MD_CTX_free(context)
      return nil
    }
    self.algorithm = algorithm
    self.context = context
  }

  /// Whether this OpenSSL offers an algorithm: one that is set to be strict has no md5.
  static func isOffered(_ algorithm: DigestAlgorithm) -> Bool {
    guard let digest = MessageDigest(algorithm) else { return false }
    _ = consume digest
    return true
  }

  private init(algorithm: DigestAlgorithm, context: OpaquePointer) {
    self.algorithm = algorithm
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  func update(_ bytes: UnsafeRawBufferPointer) { EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) }

  /// The state as it is now, to go back to.
  func copy() -> MessageDigest {
    let copied = EVP_MD_CTX_new()!
    EVP_MD_CTX_copy_ex(copied, context)
    return MessageDigest(algorithm: algorithm, context: copied)
  }

  /// The digest of all that was given; the state is used up.
  consuming func finish() -> Digest {
    var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    EVP_DigestFinal_ex(context, &bytes, &count)
    return Digest(algorithm, hex: bytes.prefix(Int(count)).map(Self.hex).joined())
  }

  private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}

/// Several digests of the same bytes.
struct MessageDigests: ~Copyable {
  private var digests: [Box]

  /// A class only because arrays hold no noncopyable values.
  private final class Box {
    var digest: MessageDigest?
    init(_ digest: consuming MessageDigest) { self.digest = consume digest }
    func finish() -> Digest? { digest.take()?.finish() }
    func copy() -> Box? { digest == nil ? nil : Box(digest!.copy()) }
  }

  /// Throws `usage` where this OpenSSL does not offer one of the algorithms.
  init(_ algorithms: [DigestAlgorithm]) throws(DownloadError) {
    var boxes: [Box] = []
    for algorithm in algorithms {
      guard let digest = MessageDigest(algorithm) else {
        throw .noSuchDigest(algorithm)
      }
      boxes.append(Box(digest))
    }
    digests = boxes
  }

  private init(boxes: [Box]) { digests = boxes }

  func update(_ bytes: UnsafeRawBufferPointer) {
    for box in digests { box.digest?.update(bytes) }
  }

  func copy() -> MessageDigests { MessageDigests(boxes: digests.compactMap { $0.copy() }) }

  consuming func finish() -> [Digest] { digests.compactMap { $0.finish() } }
}
