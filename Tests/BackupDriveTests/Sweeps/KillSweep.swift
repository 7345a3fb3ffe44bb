import DriveScript
import FaultyDrive
import Platform
import Testing

extension Sweeps {
  /// The writing process is killed before every operation that reaches the medium (libfuse 41, gcsfuse 79).
  @Suite(.enabled(if: Sweeps.canMount, Sweeps.mountText)) struct KillSweep {
    @Test(
      "A process killed anywhere leaves whole files, and the next start nothing else",
      arguments: CommitProtocol.allCases)
    func everyOperation(_ kind: CommitProtocol) throws {
      let template = try SweptDrive(kind, keepsAttributes: kind == .journal)
      let count = try template.operations()
      var killed = 0
      for number in 1...count {
        let drive = template.copy()
        try drive.mounted { mount in
          drive.volume.plan(.kill(at: number))
          let (acknowledged, signal, code, errors) = try ScriptRun([mount.path, kind.rawValue]).wait()
          killed += signal == 9 ? 1 : 0
          if signal != 9 { #expect(code == 0, "operation \(number): \(errors)") }
          drive.volume.plan(.none)
          let before = model(after: acknowledged)
          let steps = DriveScript.steps.dropFirst(acknowledged)
          let allowed = steps.first.map { $0.states(from: before) } ?? [before]
          let (found, leftovers, log) = try drive.nextStart(mount)
          let step = steps.first.map { "\($0)" } ?? "the end"
          #expect(allowed.contains(found), "operation \(number), \(step): \(difference(found, allowed)) \(log)")
          #expect(leftovers == [], "operation \(number), \(step)")
        }
      }
      // The count was taken in this process, with the same operations.
      #expect(killed == count)
      print("kill sweep, \(kind): killed at \(killed) of \(count) operations")
    }
  }
}
