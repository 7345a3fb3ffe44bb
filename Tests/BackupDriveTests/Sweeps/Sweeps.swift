import Foundation
import Testing

/// The write path under faults that are injected, not imagined. One after the other: each keeps both cores busy.
@Suite("Sweeps", .serialized) enum Sweeps {
  /// Everything, however long it takes.
  static let isFull = ProcessInfo.processInfo.environment["FOLDICFS_FULL_SWEEP"] == "1"

  /// The seed of everything that is random in this run; FOLDICFS_SEED gives an earlier run's again.
  static let seed: UInt64 = {
    let given = ProcessInfo.processInfo.environment["FOLDICFS_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 0..<1_000_000)
    print("sweeps: FOLDICFS_SEED=\(seed)")
    return seed
  }()

  /// A volume in memory can be mounted here.
  static let canMount = getuid() == 0 && FileManager.default.fileExists(atPath: "/dev/fuse")

  static let mountText: Comment = "needs root and /dev/fuse"
}
