import Foundation
import Platform

/// A folder of a test's own, removed with everything in it at the end of the test.
final class ScratchFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/foldicfs-formats-" + RandomID.hex(16)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func open(_ relative: String = "") throws -> Descriptor { try Descriptor.open(path + "/" + relative, .directory) }

  func write(_ relative: String, _ bytes: [UInt8]) throws {
    let full = path + "/" + relative
    let folder = (full as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Descriptor.open(full, [.write, .create, .truncate]).write(bytes)
  }

  func read(_ relative: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path + "/" + relative).map(Array.init)
  }

  /// Names of everything below, sorted.
  func tree(_ relative: String = "") -> [String] {
    (FileManager.default.enumerator(atPath: path + "/" + relative)?.compactMap { $0 as? String } ?? []).sorted()
  }
}

/// A program of the machine that a test compares with.
enum ExternalTool {
  static func path(_ name: String) -> String? {
    ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  static func isInstalled(_ name: String) -> Bool { path(name) != nil }

  /// Runs it and returns what it printed.
  static func run(_ name: String, _ arguments: [String], in folder: String) throws -> [UInt8] {
    let words = ["-C", folder, path(name) ?? "/nonexistent/" + name] + arguments
    return try spawn("/usr/bin/env", words, withErrors: false).output
  }
}

/// Fixtures that lie beside the project; tests that need them are skipped where they are not.
enum AppleDoubleFixtures {
  static let folder: String = {
    var components = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    components.removeLast(4)
    return (components + ["shared", "fixtures", "appledouble"]).joined(separator: "/")
  }()

  static var arePresent: Bool { FileManager.default.fileExists(atPath: folder + "/expected.jsonl") }
}

extension String {
  var bytes: [UInt8] { Array(utf8) }
}

/// Deterministic random numbers for tests that print their seed (SplitMix64, public domain algorithm by S. Vigna).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

/// Changes bytes as a fuzzer does: flips, writes of telling values, cuts, copies.
func mutate(_ input: [UInt8], with generator: inout SeededGenerator) -> [UInt8] {
  var bytes = input
  for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
    // Half of all changes hit the first bytes, where the lengths are.
    let limit = Bool.random(using: &generator) ? min(bytes.count, 200) : bytes.count
    let index = Int.random(in: 0..<limit, using: &generator)
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 1: bytes[index] = [0, 1, 0x7F, 0x80, 0xFF, 0x25, 0x0A].randomElement(using: &generator) ?? 0
    case 2: bytes.removeLast(Int.random(in: 0...min(bytes.count, 64), using: &generator))
    case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
    default: bytes.remove(at: index)
    }
  }
  return bytes
}
