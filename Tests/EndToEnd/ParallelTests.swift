import LibraryMaker
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension EndToEndTests {
  @Suite(.enabled(if: Requirement.canMount, Requirement.mountText)) struct ParallelTests {
    /// Seconds that the readers and writers work; `FOLDICFS_SOAK_SECONDS=60` for the long run.
    static let seconds = getenv("FOLDICFS_SOAK_SECONDS").flatMap { Int(String(cString: $0)) } ?? 10

    @Test func fourReadersAndTwoWritersSeeNoErrorAndMemoryDoesNotGrow() throws {
      try withTemporaryFolder { folder in
        let drive = folder + "/drive"
        try ToolRun.check("mkdir", drive)
        let plan = LibraryPlan.generated(assets: 120, albums: 4, seed: 9, size: 400_000)
        try MountFixture.with(plan, backup: drive) { mount, manifest in
          let reference = folder + "/reference"
          try ToolRun.check("cp", "-r", mount.path + "/Albums/Folder 1", reference)
          #expect(
            try FolderListing.files(below: reference).count == manifest.albums.reduce(0) { $0 + $1.members.count })
          let daemon = try mount.daemon()

          try work(mount, reference, seconds: 0)
          let before = try BuiltBinary.residentMemory(of: daemon)
          try work(mount, reference, seconds: Self.seconds)
          let after = try BuiltBinary.residentMemory(of: daemon)
          // Buffers of requests in flight come and go; a leak of a buffer per request would be hundreds of MiB.
          #expect(after < before + 48 * 1024, "resident memory went from \(before) to \(after) KiB")
          #expect(try FolderListing.names(mount.backup).isEmpty)
        }
      }
    }

    /// Every reader and writer works at least one round, then goes on until the time is over.
    private func work(_ mount: MountFixture, _ reference: String, seconds: Int) throws {
      let reader = "SECONDS=0; while diff -r \"$1\" \"$2\"; do ((SECONDS < $3)) || exit 0; done; exit 1"
      let writer = """
        SECONDS=0
        while cp -r "$1/Albums/Folder 1/Album 1" "$1/Backup/$4" && diff -r "$2/Album 1" "$1/Backup/$4" && \
        rm -r "$1/Backup/$4"; do
          ((SECONDS < $3)) || exit 0
        done
        exit 1
        """
      var tools: [RunningTool] = []
      for _ in 0..<4 {
        tools.append(
          try RunningTool(["bash", "-c", reader, "bash", mount.path + "/Albums/Folder 1", reference, "\(seconds)"]))
      }
      for number in 0..<2 {
        tools.append(
          try RunningTool(["bash", "-c", writer, "bash", mount.path, reference, "\(seconds)", "writer \(number)"]))
      }
      for tool in tools {
        let result = try tool.wait(seconds: Double(seconds) + 120)
        #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
      }
    }
  }
}
