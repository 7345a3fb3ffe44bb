import DriveScript
import FaultyDrive
import Platform
import Testing

@testable import BackupDrive

extension Sweeps {
  /// Power is cut before every operation that reaches the medium; what was not synchronised has arrived or not.
  @Suite(.enabled(if: Sweeps.canMount, Sweeps.mountText)) struct CutSweep {
    /// What one sweep found.
    struct Outcome {
      var operations = 0
      var cuts = 0
      var lost: [String] = []
    }

    @Test(
      "What was acknowledged survives a power cut anywhere, byte for byte", arguments: CommitProtocol.allCases,
      [false, true])
    func survives(_ kind: CommitProtocol, flushesEverything: Bool) throws {
      let template = try SweptDrive(kind, flushesEverything: flushesEverything)
      // All operations with the hardest volume, some of them with the one that flushes all at once.
      let stride = Sweeps.isFull || !flushesEverything ? 1 : 7
      let outcome = try sweep(template, opensAs: kind, stride: stride, seeds: Sweeps.isFull ? 5 : 2)
      #expect(outcome.lost == [])
      print(
        "cut sweep, \(kind), flushes everything: \(flushesEverything): \(outcome.operations) operations,"
          + " \(outcome.cuts) states of the medium")
    }

    @Test("The volume is honest: the wrong protocol for it loses files")
    func losesWithoutIntents() throws {
      let template = try SweptDrive(.intents)
      let file = RelativePath([FileName("a.jpg")])
      let steps = (1...8).map { DriveStep.write(file, seed: $0, count: 5000) }
      let outcome = try sweep(template, steps, opensAs: .journal, stride: 1, seeds: 4)
      #expect(!outcome.lost.isEmpty)
      print("cut sweep, one rename without a journal: \(outcome.lost.count) of \(outcome.cuts) states are wrong")
    }

    private func sweep(
      _ template: SweptDrive, _ script: [DriveStep] = DriveScript.steps, opensAs kind: CommitProtocol, stride step: Int,
      seeds: UInt64
    ) throws -> Outcome {
      var outcome = Outcome()
      outcome.operations = try template.operations(of: script)
      let first = 1 + Int(Sweeps.seed) % step
      for number in stride(from: first, through: outcome.operations, by: step) {
        let drive = template.copy()
        var acknowledged = 0
        try drive.mounted { mount in
          drive.volume.plan(.cut(at: number))
          do {
            let open = try BackupDrive.open(folder: mount.path, hasJournal: kind == .journal)
            defer { open.close() }
            for step in script {
              try step.run(on: open)
              acknowledged += 1
            }
          } catch is Errno {
          } catch is DriveError {}
        }
        let before = model(after: acknowledged, of: script)
        let steps = script.dropFirst(acknowledged)
        let allowed = steps.first.map {
          template.kind == .journal ? $0.states(from: before) : $0.statesAfterCut(from: before)
        }
        for seed in [nil] + (1...seeds).map({ Sweeps.seed &+ UInt64(number) &* 100 &+ $0 }) {
          outcome.cuts += 1
          let place =
            "operation \(number), \(steps.first.map { "\($0)" } ?? "end"), seed \(seed.map(String.init) ?? "none")"
          if let wrong = try check(drive.afterCut(seed: seed), allowed ?? [before]) {
            outcome.lost.append("\(place): \(wrong)")
          }
        }
      }
      return outcome
    }

    /// What is wrong with what is left.
    private func check(_ drive: SweptDrive, _ allowed: [DriveModel]) throws -> String? {
      try drive.mounted { mount in
        do {
          let (found, leftovers, log) = try drive.nextStart(mount)
          // What may share its clusters with a file is kept on purpose, and records that power cut off.
          let kept = [".broken", ".new", ".twin"]
          let unexpected = leftovers.filter { name in !kept.contains { name.hasSuffix($0) } }
          if !unexpected.isEmpty { return "left over: \(unexpected), \(log)" }
          return allowed.contains(found) ? nil : "\(difference(found, allowed)) \(log)"
        } catch { return "\(error)" }
      }
    }
  }
}
