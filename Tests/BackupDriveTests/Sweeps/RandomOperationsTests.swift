import Platform
import Testing

@testable import BackupDrive

extension Sweeps {
  /// In the way of fsx: random operations, and a model that tells what each must give.
  @Suite struct RandomOperationsTests {
    @Test("Random operations never differ from the model", arguments: Ground.available)
    func agrees(_ ground: Ground) throws {
      let seed = Sweeps.seed &+ UInt64(ground.rawValue.utf8.count)
      var operations = try RandomOperations(try TestGround(ground), seed: seed)
      let count = ground == .exfat ? (Sweeps.isFull ? 200_000 : 20_000) : 100_000
      let wrong = try operations.run(count)
      #expect(wrong == nil, "seed \(Sweeps.seed)")
      print("random operations, \(ground): \(count) without a difference: \(wrong == nil)")
    }
  }
}
