import LibraryMaker
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension EndToEndTests {
  /// In the way of fsx, through kernel and mount: every call is made on a plain folder too and must give the same.
  @Suite(.enabled(if: Requirement.hasDrives, Requirement.driveText)) struct RandomOperationsTests {
    @Test(arguments: LoopDrive.FileSystem.allCases)
    func aMountedBackupDoesWhatAPlainFolderDoes(fileSystem: LoopDrive.FileSystem) throws {
      let given = getenv("FOLDICFS_SEED").flatMap { UInt64(String(cString: $0)) }
      let seed = given ?? UInt64.random(in: 0..<1_000_000)
      try LoopDrive.with(fileSystem, megabytes: 64) { drive in
        try MountFixture.with(.sample, backup: drive.path, options: ["delete=remove"]) { (mount, _) throws in
          try withTemporaryFolder { folder in
            let plain = folder + "/plain"
            mkdir(plain, 0o755)
            var twin = TwinFolders(tested: mount.backup, plain: plain, seed: seed)
            let wrong = twin.run(fileSystem == .ext4 ? 20_000 : 4000)
            #expect(wrong == nil, "seed \(seed)")
            twin.closeAll()
            guard wrong == nil else { return }
            try mount.unmount()
            try drive.remount()
            try ToolRun.check("diff", "-r", "-x", ".foldic", "-x", "lost+found", plain, drive.path)
            #expect(try FolderListing.names(drive.path + "/.foldic/tmp") == ["lock"])
            #expect(try FolderListing.names(drive.path + "/.foldic/intents") == [])
          }
        }
      }
    }
  }
}

/// Two folders to which the same is done.
private struct TwinFolders {
  private struct Pair {
    let tested: Int32
    let plain: Int32
    let path: String
  }

  private let tested: String
  private let plain: String
  private var opened: [Pair] = []
  private var generator: SeededGenerator
  private var history: [String] = []
  private let paths = ["a", "b", "c", "photo of a cat.jpg", "p/a", "p/b", "q/a", "q/c", "p/r/a", "p/r/d"]
  private let folders = ["p", "q", "p/r"]

  init(tested: String, plain: String, seed: UInt64) {
    self.tested = tested
    self.plain = plain
    generator = SeededGenerator(seed: seed)
  }

  /// What differed first.
  mutating func run(_ count: Int) -> String? {
    for number in 1...count {
      if let wrong = step() ?? (number.isMultiple(of: 200) ? compare() : nil) {
        return "operation \(number): \(wrong)\n\(history.joined(separator: "\n"))"
      }
    }
    return compare()
  }

  mutating func closeAll() {
    for pair in opened {
      close(pair.tested)
      close(pair.plain)
    }
    opened = []
  }

  private mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
  private mutating func path() -> String { paths[roll(paths.count)] }
  private mutating func pair() -> Pair? { opened.isEmpty ? nil : opened[roll(opened.count)] }

  private mutating func note(_ text: String) {
    history.append(text)
    if history.count > 30 { history.removeFirst() }
  }

  /// Makes one call in both folders and compares result and errno.
  private mutating func both(_ text: String, _ call: (String) -> Int32) -> String? {
    note(text)
    let first = call(tested + "/")
    let firstError = first < 0 ? errno : 0
    let second = call(plain + "/")
    let secondError = second < 0 ? errno : 0
    return first == second && firstError == secondError
      ? nil : "\(text): \(first) with errno \(firstError), a plain folder \(second) with errno \(secondError)"
  }

  private mutating func step() -> String? {
    let path = path()
    switch roll(20) {
    case 0...3: return open(path)
    case 4...7: return write()
    case 8...9: return read()
    case 10: return resize()
    case 11...13: return close()
    case 14:
      let new = self.path()
      return both("rename \(path) to \(new)") { rename($0 + path, $0 + new) }
    case 15: return both("unlink \(path)") { unlink($0 + path) }
    case 16:
      let folder = folders[roll(3)]
      return roll(3) == 0
        ? both("rmdir \(folder)") { rmdir($0 + folder) } : both("mkdir \(folder)") { mkdir($0 + folder, 0o755) }
    case 17:
      let size = off_t(roll(20000))
      return both("truncate \(path) to \(size)") { truncate($0 + path, size) }
    case 18:
      let time = timespec(tv_sec: 1_500_000_000 + 2 * roll(50_000_000), tv_nsec: 0)
      return both("utimens \(path)") { utimensat(AT_FDCWD, $0 + path, [time, time], 0) } ?? compareStatus(path)
    default: return compareStatus(path)
    }
  }

  private mutating func open(_ path: String) -> String? {
    guard opened.count < 12 else { return close() }
    // A reader beside a writer sees the version before: not what a plain folder does.
    let flags = [O_RDWR | O_CREAT, O_RDWR, O_RDWR | O_TRUNC, O_RDWR | O_CREAT | O_EXCL, O_RDWR | O_APPEND][roll(5)]
    note("open \(path) \(flags)")
    let first = Self.systemOpen(tested + "/" + path, flags)
    let firstError = errno
    let second = Self.systemOpen(plain + "/" + path, flags)
    let secondError = errno
    if first >= 0, second >= 0 {
      opened.append(Pair(tested: first, plain: second, path: path))
      return nil
    }
    return first < 0 && second < 0 && firstError == secondError
      ? nil : "open \(path) \(flags): \(first) errno \(firstError), a plain folder \(second) errno \(secondError)"
  }

  private static func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.open(path, flags | O_CLOEXEC, 0o644)
    #else
      Darwin.open(path, flags | O_CLOEXEC, 0o644)
    #endif
  }

  private mutating func write() -> String? {
    guard let pair = pair() else { return nil }
    let first = UInt8.random(in: 1...255, using: &generator)
    let bytes = (0..<1 + roll(9000)).map { first &+ UInt8(truncatingIfNeeded: $0) }
    let offset = off_t(roll(15000))
    note("write \(pair.path) \(bytes.count) at \(offset)")
    let results = [pair.tested, pair.plain].map { pwrite($0, bytes, bytes.count, offset) }
    if roll(6) == 0, fsync(pair.tested) != 0 { return "fsync: errno \(errno)" }
    return results[0] == results[1] ? nil : "write gave \(results)"
  }

  private mutating func read() -> String? {
    guard let pair = pair() else { return nil }
    note("read \(pair.path)")
    return Self.contents(pair.tested) == Self.contents(pair.plain) ? nil : "read \(pair.path): another content"
  }

  private mutating func resize() -> String? {
    guard let pair = pair() else { return nil }
    let size = off_t(roll(25000))
    note("ftruncate \(pair.path) \(size)")
    return ftruncate(pair.tested, size) == ftruncate(pair.plain, size) ? nil : "ftruncate \(pair.path): errno \(errno)"
  }

  private mutating func close() -> String? {
    guard !opened.isEmpty else { return nil }
    let pair = opened.remove(at: roll(opened.count))
    note("close \(pair.path)")
    #if canImport(Glibc)
      return Glibc.close(pair.plain) == 0 && Glibc.close(pair.tested) == 0 ? nil : "close \(pair.path): errno \(errno)"
    #else
      return Darwin.close(pair.plain) == 0 && Darwin.close(pair.tested) == 0
        ? nil : "close \(pair.path): errno \(errno)"
    #endif
  }

  private func close(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  private static func contents(_ descriptor: Int32) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 40000)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    return count < 0 ? [] : Array(buffer[..<count])
  }

  private mutating func compareStatus(_ path: String) -> String? {
    func status(_ top: String) -> (size: Int, isFolder: Bool)? {
      var value = stat()
      guard stat(top + "/" + path, &value) == 0 else { return nil }
      return (Int(value.st_size), value.st_mode & S_IFMT == S_IFDIR)
    }
    let found = status(tested)
    let expected = status(plain)
    if found == nil, expected == nil { return nil }
    guard let found, let expected, found.isFolder == expected.isFolder, found.isFolder || found.size == expected.size
    else { return "stat \(path): \(String(describing: found)), a plain folder \(String(describing: expected))" }
    return nil
  }

  /// Names, and the content of everything that nobody is writing.
  private mutating func compare() -> String? {
    for folder in ["", "p", "q", "p/r"] {
      let found = ((try? FolderListing.names(tested + "/" + folder)) ?? []).filter { $0 != "lost+found" }
      let expected = (try? FolderListing.names(plain + "/" + folder)) ?? []
      if found.sorted() != expected.sorted() { return "\(folder)/ lists \(found), a plain folder \(expected)" }
    }
    // A reader beside a writer sees the version before.
    closeAll()
    for path in paths {
      let found = try? FileContents.read(tested + "/" + path)
      let expected = try? FileContents.read(plain + "/" + path)
      if found != expected { return "\(path) holds something else" }
    }
    return nil
  }
}
