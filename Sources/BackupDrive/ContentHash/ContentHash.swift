import CXXHash
import Platform

/// The XXH3-128 of a file's content: finds damage, is no proof against forgery.
public struct ContentHash: Hashable, Sendable {
  /// The 16 bytes in canonical (big-endian) order.
  public let bytes: [UInt8]

  /// Takes 16 bytes in canonical order; `nil` for any other count.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Reads 32 hex digits of either case.
  public init?(hex: String) {
    let digits = Array(hex.utf8)
    guard digits.count == 32 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 32, by: 2) {
      guard let high = digits[index].hexValue, let low = digits[index + 1].hexValue else { return nil }
      bytes.append(high << 4 | low)
    }
    self.bytes = bytes
  }

  /// The hash of bytes in memory.
  public init(of content: some Sequence<UInt8>) {
    let content = Array(content)
    self.init(content.withUnsafeBytes { XXH3_128bits($0.baseAddress, $0.count) })
  }

  /// The hash of a whole open file, read in chunks of 1 MiB from its beginning. `goOn` is asked before each chunk; `nil`
  /// when it said no.
  public init?(of file: borrowing Descriptor, goOn: () -> Bool = { true }) throws(Errno) {
    let hasher = try ContentHasher()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while true {
      guard goOn() else { return nil }
      let count = try file.read(into: buffer, at: offset)
      if count == 0 { break }
      hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += Int64(count)
    }
    self = hasher.value
  }

  /// 32 lower-case hex digits, as `xxhsum -H2` prints them.
  public var hex: String { bytes.hexDigits }

  fileprivate init(_ value: XXH128_hash_t) {
    bytes = [value.high64, value.low64].flatMap { half in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
    }
  }
}

extension ContentHash: CustomStringConvertible {
  /// The hex digits.
  public var description: String { hex }
}

/// Computes a `ContentHash` piece by piece. Not to be shared between threads.
public struct ContentHasher: ~Copyable {
  private let state: OpaquePointer

  /// A hasher that has seen nothing; throws ENOMEM.
  public init() throws(Errno) {
    guard let state = XXH3_createState() else { throw .outOfMemory }
    guard XXH3_128bits_reset(state) == XXH_OK else {
      XXH3_freeState(state)
      throw .outOfMemory
    }
    self.state = state
  }

  deinit { XXH3_freeState(state) }

  /// Takes the next bytes.
  public func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    // Fails only for a null pointer.
    XXH3_128bits_update(state, base, bytes.count)
  }

  /// Takes the next bytes.
  public func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// The hash of all bytes so far; more may follow.
  public var value: ContentHash { ContentHash(XXH3_128bits_digest(state)) }
}
