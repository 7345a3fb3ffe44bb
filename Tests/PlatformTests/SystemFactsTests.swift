import Platform
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Facts of the system")
struct SystemFactsTests {
  @Test("every file system is found by its device and its mountpoint")
  func mountTable() throws {
    let table = try MountTable.current()
    #expect(table.contains { $0.mountpoint == [0x2F] })
    let proc = try #require(try MountTable.fileSystem(mountedAt: "/proc"))
    #expect(proc.type == "proc")
    let status = try Descriptor.open("/proc", [.read, .directory]).status()
    #expect(try MountTable.fileSystem(ofDevice: status.device)?.type == "proc")
  }

  @Test("a thread that a signal killed is told from one that lives", .enabled(if: isLinux))
  func killed() throws {
    #expect(!ProcessState.wasKilled(getpid()))
    var words: [UnsafeMutablePointer<CChar>?] = ["sleep", "100"].map { (word: String) in strdup(word) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var child = pid_t()
    try #require(posix_spawnp(&child, "sleep", nil, nil, words, environ) == 0)
    #expect(!ProcessState.wasKilled(child))
    kill(child, SIGKILL)
    // Not reaped yet, so that its record stands when it has ended.
    var information = siginfo_t()
    waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT)
    #expect(ProcessState.wasKilled(child))
    waitpid(child, nil, 0)
  }

  @Test("errors have words and numbers outside of the table do not trap")
  func words() {
    #expect(Errno.noSpace.description == "No space left on device")
    #expect(!Errno(rawValue: 99999).description.isEmpty)
    let error = FileError("open the library", path: "/x\n", errno: .noSuchFile, advice: "look again")
    #expect(error.description == "cannot open the library /x\\n: No such file or directory; look again")
  }

  @Test(
    "times beyond all calendars are clamped, those that are none are not there",
    arguments: [1e300, -1e300, 123_457_767_319_545.0] as [Double])
  func times(seconds: Double) throws {
    let time = try #require(Timestamp(secondsSince1970: seconds))
    #expect((-62_167_219_200...253_402_300_799).contains(time.seconds))
    #expect(Timestamp(secondsSince1970: .nan) == nil)
    #expect(Timestamp(secondsSince1970: -0.25) == Timestamp(seconds: -1, nanoseconds: 750_000_000))
  }

  @Test("a listing gives every name once")
  func listing() throws {
    try withTemporaryFolder { _, folder in
      for index in 0..<500 { _ = try folder.open(try #require(FileName("x\(index)")), [.write, .create]) }
      let names = try folder.entries().map(\.name)
      #expect(names.count == 500)
      #expect(Set(names).count == 500)
    }
  }

  private static var isLinux: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }
}
