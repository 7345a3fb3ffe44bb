import FaultyDrive
import Foundation
import Platform
import Testing

@testable import BackupDrive

extension Sweeps {
  /// One fsync hangs as long as the test wants (mergerfs 1487, exfat 92).
  @Suite(.enabled(if: Sweeps.canMount, Sweeps.mountText)) struct SlowDriveTests {
    @Test("While one commit hangs, others are made, listed and read", arguments: CommitProtocol.allCases)
    func delaysNobody(_ kind: CommitProtocol) throws {
      let drive = try SweptDrive(kind)
      try drive.mounted { mount in
        let open = try drive.open(mount)
        defer { open.close() }
        try open.write("before", "b")
        let slow = try Self.hang(drive.volume, open)
        try open.write("other", "o")
        try open.write("before", "replaced")
        try open.makeDirectory("folder")
        try open.rename("other", "folder/other")
        #expect(try open.names() == ["before", "folder", "slow"])
        #expect(try [open.text("before"), open.text("folder/other")] == ["replaced", "o"])
        #expect(try open.status(of: try open.node("slow")).size == 4)
        try open.remove("folder/other")
        #expect(!slow.hasEnded)
        drive.volume.letSynchronizeGo()
        #expect(slow.wait() == nil)
        #expect(try open.text("slow") == "slow")
      }
    }

    @Test(
      "A drive that goes while a commit hangs: the commit returns with an error", arguments: CommitProtocol.allCases)
    func vanishes(_ kind: CommitProtocol) throws {
      let drive = try SweptDrive(kind)
      try drive.mounted { mount in
        let open = try drive.open(mount)
        let slow = try Self.hang(drive.volume, open)
        #expect(mount.abort())
        #expect(slow.wait() != nil)
        #expect(throws: Errno.self) { try open.write("other", "o") }
        #expect(throws: Errno.self) { try open.names() }
        open.close()
        drive.volume.letSynchronizeGo()
      }
    }

    /// A thread that commits and whose end can be asked for.
    final class Committer: Sendable {
      private let outcome = Monitor<Result<Void, Errno>?>(nil)
      var hasEnded: Bool { outcome.withLock { $0 != nil } }
      func wait() -> Errno? {
        switch outcome.wait({ $0 }) {
        case .success: nil
        case .failure(let error): error
        }
      }
      func run(_ body: @escaping @Sendable () throws(Errno) -> Void) {
        Thread.detachNewThread { [outcome] in
          let result: Result<Void, Errno>
          do throws(Errno) { result = .success(try body()) } catch { result = .failure(error) }
          outcome.withLock { $0 = result }
        }
      }
    }

    private static func hang(_ volume: FaultyVolume, _ drive: BackupDrive) throws -> Committer {
      let (_, handle) = try drive.create(name("slow"), in: drive.root, exclusive: true)
      try handle.write("slow")
      volume.holdNextSynchronize()
      let committer = Committer()
      committer.run { () throws(Errno) in try handle.close() }
      volume.waitUntilHeld()
      return committer
    }
  }
}
