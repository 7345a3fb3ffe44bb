import DriveScript
import FaultyDrive
import Foundation
import Platform
import Testing

@testable import BackupDrive

/// How a drive replaces files, and the volume in memory that suits it.
enum CommitProtocol: String, CaseIterable, Sendable, CustomTestStringConvertible {
  /// One rename, on a volume whose folders change whole and in order.
  case journal
  /// The old file aside first, on a volume that orders nothing.
  case intents

  var testDescription: String { rawValue }
}

/// A marked drive on a volume in memory that fails as it is told.
struct SweptDrive {
  let kind: CommitProtocol
  let volume: FaultyVolume

  /// A new drive, marked and otherwise empty.
  init(_ kind: CommitProtocol, keepsAttributes: Bool = false, flushesEverything: Bool = false) throws {
    self.kind = kind
    let first = FaultyVolume(
      keepsAttributes: keepsAttributes, flushesEverything: flushesEverything, isJournaled: kind == .journal)
    let mount = try MountedVolume(first)
    defer { mount.unmount() }
    try BackupDrive.initialise(folder: mount.path)
    volume = first.afterCut(seed: nil)
  }

  private init(_ kind: CommitProtocol, _ volume: FaultyVolume) {
    self.kind = kind
    self.volume = volume
  }

  /// The same drive when power comes back.
  func afterCut(seed: UInt64?) -> SweptDrive { SweptDrive(kind, volume.afterCut(seed: seed)) }

  /// A copy of a drive on which nothing is pending.
  func copy() -> SweptDrive { afterCut(seed: nil) }

  /// Mounts the volume for `body`.
  func mounted<R>(_ body: (MountedVolume) throws -> R) throws -> R {
    let mount = try MountedVolume(volume)
    defer { mount.unmount() }
    return try body(mount)
  }

  func open(_ mount: MountedVolume, log: LogLines = LogLines()) throws(DriveError) -> BackupDrive {
    try BackupDrive.open(folder: mount.path, hasJournal: kind == .journal) { log.add($0) }
  }

  /// How many operations these steps take, from the opening of the drive to its end.
  func operations(of steps: [DriveStep] = DriveScript.steps) throws -> Int {
    let drive = copy()
    return try drive.mounted { mount in
      drive.volume.plan(.none)
      let open = try drive.open(mount)
      for step in steps { try step.run(on: open) }
      open.close()
      return drive.volume.operations
    }
  }

  /// What the next start finds: everything that is shown, and what is left in `.foldic` after that session has ended too.
  func nextStart(_ mount: MountedVolume) throws -> (model: DriveModel, leftovers: [String], log: [String]) {
    let log = LogLines()
    let drive = try open(mount, log: log)
    defer { drive.close() }
    let model = try DriveModel(reading: drive)
    drive.close()
    return (model, try Self.leftovers(mount.path), log.all)
  }

  /// Pending files, records and folders of sessions.
  static func leftovers(_ path: String) throws -> [String] {
    let files = FileManager.default
    return try files.contentsOfDirectory(atPath: path + "/.foldic/tmp").filter { $0 != "lock" }
      + files.contentsOfDirectory(atPath: path + "/.foldic/intents")
  }
}

/// The model after the first of the steps.
func model(after count: Int, of steps: [DriveStep] = DriveScript.steps) -> DriveModel {
  steps.prefix(count).reduce(DriveModel()) { $1.states(from: $0).last ?? $0 }
}

/// One line a file for a test that failed: what was found and what was allowed.
func difference(_ found: DriveModel, _ allowed: [DriveModel]) -> String {
  "found\n\(found)\nallowed\n" + allowed.map(\.description).joined(separator: "\nor\n")
}
