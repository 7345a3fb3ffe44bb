import DriveScript
import Foundation
import Platform
import Testing

@testable import BackupDrive

extension Sweeps {
  @Suite struct TwoProcessesTests {
    @Test("Two processes on one drive lose nothing and leave nothing", arguments: Ground.available)
    func bothEnd(_ ground: Ground) throws {
      let place = try TestGround(ground)
      let rounds: UInt64 = ground == .exfat ? 3 : 10
      let word = ground == .journal ? "journal" : "intents"
      let folders = ["one", "two"]
      // There from the start: of two that make a file at once one is told that it exists.
      let before = try place.open()
      try before.write("shared", "first")
      before.close()
      let runs = try folders.map { try ScriptRun([place.path, word, $0, String(rounds)]) }
      // Others come and go meanwhile, and repair what they take for dead.
      for _ in 0..<20 { try place.open().close() }
      var expected = DriveModel()
      for (folder, run) in zip(folders, runs) {
        let path = try #require(RelativePath(folder))
        let steps = DriveScript.rounds(rounds, in: path)
        let (acknowledged, signal, code, errors) = run.wait()
        #expect(signal == 0 && code == 0, "\(errors)")
        #expect(acknowledged == steps.count)
        let own = model(after: steps.count, of: steps)
        expected.files.merge(own.files) { $1 }
        expected.folders.formUnion(own.folders)
      }
      let drive = try place.open()
      let found = try DriveModel(reading: drive)
      // The last writer of the shared file won, whoever it was: both wrote the same last version.
      #expect(found == expected, "\(difference(found, [expected]))")
      drive.close()
      #expect(try SweptDrive.leftovers(place.path) == [])
    }
  }
}
