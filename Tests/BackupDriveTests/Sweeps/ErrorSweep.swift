import DriveScript
import FaultyDrive
import Platform
import Testing

@testable import BackupDrive

extension Sweeps {
  /// Every operation that reaches the medium fails once (burp 814, bun 41798, mc 2829).
  @Suite(.enabled(if: Sweeps.canMount, Sweeps.mountText)) struct ErrorSweep {
    /// How an operation fails.
    enum Kind: CaseIterable, Sendable {
      case inputOutput, noSpace, twice
      var error: Errno { self == .noSpace ? .noSpace : .inputOutput }
    }

    @Test(
      "A failure reaches the caller, the old version stands, and the work can go on",
      arguments: CommitProtocol.allCases,
      Kind.allCases)
    func everyOperation(_ kind: CommitProtocol, _ fault: Kind) throws {
      let template = try SweptDrive(kind)
      let count = try template.operations()
      // All with EIO; the others are sampled.
      let step = fault == .inputOutput || Sweeps.isFull ? 1 : 5
      var reported = 0
      for number in stride(from: 1 + Int(Sweeps.seed) % step, through: count, by: step) {
        let drive = template.copy()
        try drive.mounted { mount in
          drive.volume.plan(
            fault == .twice ? .failInARow(at: number, count: 2, fault.error) : .fail(at: number, fault.error))
          let failures = try go(drive, mount, "operation \(number), \(fault)", atMost: fault == .twice ? 2 : 1)
          reported += failures > 0 ? 1 : 0
        }
      }
      #expect(reported > count / step / 2)
      print("error sweep, \(kind), \(fault): \(count) operations, \(reported) of the faults were reported")
    }

    /// Does the script as a stubborn program: what fails is looked at and done again.
    private func go(_ drive: SweptDrive, _ mount: MountedVolume, _ place: String, atMost limit: Int) throws -> Int {
      var failures = 0
      var opened = try? drive.open(mount)
      while opened == nil, failures < limit {
        failures += 1
        opened = try? drive.open(mount)
      }
      let open = try #require(opened, "\(place): cannot be opened again")
      defer { open.close() }
      var present = DriveModel()
      for step in DriveScript.steps {
        let allowed = step.states(from: present)
        let goal = allowed.last ?? present
        // A rename or removal that failed only in becoming durable may have happened.
        while present != goal {
          let error = step.failure(on: open)
          if error == nil { present = goal }
          if let error {
            failures += 1
            try #require(failures <= limit, "\(place), \(step): \(error)")
            let found = try DriveModel(reading: open)
            // When what undoes it fails too, the new version may stand.
            let isSane =
              step.changesOnlyNames || limit > 1 ? allowed.contains(found) : allowed.dropLast().contains(found)
            #expect(isSane, "\(place), \(step), after \(error): \(difference(found, allowed))")
            present = found
          }
        }
      }
      #expect(try DriveModel(reading: open) == present, "\(place)")
      open.close()
      drive.volume.plan(.none)
      let (found, leftovers, log) = try drive.nextStart(mount)
      #expect(found == present, "\(place), after a new start: \(difference(found, [present])) \(log)")
      #expect(leftovers == [], "\(place)")
      return failures
    }

    @Test("A drive that is pulled out: every call returns with an error", arguments: CommitProtocol.allCases)
    func vanishes(_ kind: CommitProtocol) throws {
      let template = try SweptDrive(kind)
      let count = try template.operations()
      let step = Sweeps.isFull ? 1 : 4
      for number in stride(from: 1 + Int(Sweeps.seed) % step, through: count, by: step) {
        let drive = template.copy()
        try drive.mounted { mount in
          drive.volume.plan(.vanish(at: number, number.isMultiple(of: 2) ? .inputOutput : .notConnected))
          guard let open = try? drive.open(mount) else { return }
          let errors = DriveScript.steps.map { $0.failure(on: open) }
          open.close()
          let first = errors.firstIndex { $0 != nil } ?? errors.count
          #expect(errors[first...].allSatisfy { $0 != nil }, "operation \(number): succeeded without a drive")
        }
        // Plugged in again: what had been acknowledged is there.
        let again = drive.afterCut(seed: nil)
        try again.mounted { mount in #expect(throws: Never.self) { try again.nextStart(mount) } }
      }
    }
  }
}

extension DriveStep {
  /// Whether only names change, of which a failed fsync cannot tell whether it happened.
  fileprivate var changesOnlyNames: Bool {
    switch self {
    case .rename, .remove, .makeFolder, .removeFolder: true
    default: false
    }
  }
}
