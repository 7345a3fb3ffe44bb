import Foundation
import Platform
import Testing

@testable import BackupDrive

/// The kinds of drive that the tests run on.
enum Ground: String, CaseIterable, Sendable, CustomTestStringConvertible {
  /// The machine's own file system, replaced by one rename.
  case journal
  /// The same, replaced by the protocol with intents, and with attributes in sidecars.
  case intents
  /// A real exFAT drive: a loop image.
  case exfat

  var testDescription: String { rawValue }

  /// Those that this machine can make. exFAT needs root, loop devices and the tools.
  static let available: [Ground] = ExFATImage.isPossible ? allCases : [.journal, .intents]
}

/// A marked folder for one test, removed at its end.
final class TestGround: Sendable {
  let ground: Ground
  let path: String
  private let base: String
  private let image: ExFATImage?

  init(_ ground: Ground, megabytes: Int = 48) throws {
    self.ground = ground
    base = FileManager.default.temporaryDirectory.path + "/foldic-drive-" + RandomID.hex(12)
    try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
    path = base + "/drive"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    image = ground == .exfat ? try ExFATImage(in: base, mountedAt: path, megabytes: megabytes) : nil
    try BackupDrive.initialise(folder: path)
  }

  deinit {
    image?.detach()
    try? FileManager.default.removeItem(atPath: base)
  }

  /// Opens the drive as a new session.
  func open(
    readOnly: Bool = false, deletion: BackupDrive.Deletion = .remove, catalog: Bool = false,
    showsSidecars: Bool = false,
    log: LogLines = LogLines(),
    step: @escaping @Sendable (CommitStep) throws(Errno) -> Void = { _ in },
    recoveryStep: @escaping RecoveryStep = {}
  ) throws -> BackupDrive {
    let hasJournal: Bool? =
      switch ground {
      case .journal: true
      case .intents: false
      case .exfat: nil
      }
    let abilities = ground == .intents ? DriveAbilities(holdsAttributes: false, roundsTimes: true) : nil
    return try BackupDrive(
      folder: path, readOnly: readOnly, hasJournal: hasJournal, abilities: abilities, deletion: deletion,
      catalog: catalog, showsSidecars: showsSidecars, log: { log.add($0) }, step: step,
      recoveryStep: recoveryStep)
  }

  // MARK: - The drive itself, past the program

  func onDrive(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: self.path + "/" + path).map(Array.init)
  }

  func put(_ path: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: self.path + "/" + path))
  }

  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: self.path + "/" + path) }

  func names(_ path: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: self.path + "/" + path).sorted()
  }

  /// Pending files and records of all sessions, without the lock files.
  func leftovers() throws -> [String] {
    var result = try names(".foldic/intents")
    for session in try names(".foldic/tmp") where session != "lock" {
      result += try names(".foldic/tmp/" + session).filter { $0 != "lock" && !$0.hasPrefix(".fuse_hidden") }
    }
    return result
  }
}

/// Collects what is logged.
final class LogLines: Sendable {
  private let lines = Monitor<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

/// An exFAT file system in a file, on a loop device, served by exfat-fuse.
struct ExFATImage {
  let device: String
  let mountpoint: String

  static let isPossible: Bool =
    getuid() == 0
    && ["/usr/sbin/mount.exfat-fuse", "/usr/sbin/mkfs.exfat", "/sbin/losetup"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: $0)
    } && FileManager.default.fileExists(atPath: "/dev/loop-control")
    && FileManager.default.fileExists(atPath: "/dev/fuse")

  init(in base: String, mountedAt mountpoint: String, megabytes: Int) throws {
    let file = base + "/image"
    _ = FileManager.default.createFile(atPath: file, contents: nil)
    try FileHandle(forWritingTo: URL(fileURLWithPath: file)).truncate(atOffset: UInt64(megabytes) << 20)
    _ = try run("/usr/sbin/mkfs.exfat", file)
    device = try run("/sbin/losetup", "--find", "--show", file)
    self.mountpoint = mountpoint
    do {
      // The driver stays behind as a daemon and would keep a pipe open for ever.
      try runQuietly("/usr/sbin/mount.exfat-fuse", device, mountpoint)
    } catch {
      _ = try? run("/sbin/losetup", "--detach", device)
      throw error
    }
  }

  func detach() {
    _ = try? run("/bin/umount", "--lazy", mountpoint)
    _ = try? run("/sbin/losetup", "--detach", device)
  }
}

struct CommandFailed: Error { let text: String }

/// Runs a program to its end and returns what it printed.
@discardableResult
func run(_ program: String, _ arguments: String...) throws -> String {
  let (status, output) = try spawn(program, arguments)
  let text = String(decoding: output, as: UTF8.self)
  guard status == 0 else { throw CommandFailed(text: "\(program): \(text)") }
  return text.trimmingCharacters(in: .whitespacesAndNewlines)
}

/// Runs a program that may leave a daemon behind.
func runQuietly(_ program: String, _ arguments: String...) throws {
  guard try spawn(program, arguments).status == 0 else { throw CommandFailed(text: "\(program) failed") }
}

/// Runs a program to its end. Not through Foundation, whose pipes and sockets are inherited by whatever is started meanwhile:
/// a driver that stays behind as a daemon would hold them for ever. What is printed goes to a file instead.
func spawn(
  _ program: String, _ arguments: [String], withErrors: Bool = true
) throws -> (status: Int32, output: [UInt8]) {
  var template = Array("/tmp/foldic-output-XXXXXX".utf8CString)
  let output = mkstemp(&template)
  guard output >= 0 else { throw CommandFailed(text: "cannot make a file for what \(program) prints") }
  defer { close(output) }
  unlink(template)
  _ = fcntl(output, F_SETFD, FD_CLOEXEC)
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_adddup2(&actions, output, 1)
  if withErrors {
    posix_spawn_file_actions_adddup2(&actions, output, 2)
  } else {
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
  }
  var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
  words.append(nil)
  defer { for word in words { free(word) } }
  var child: pid_t = 0
  guard posix_spawn(&child, program, &actions, nil, words, environ) == 0 else {
    throw CommandFailed(text: "cannot run \(program)")
  }
  var status: Int32 = 0
  while waitpid(child, &status, 0) == -1, errno == EINTR {}
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65536)
  while case let count = pread(output, &buffer, buffer.count, off_t(bytes.count)), count > 0 {
    bytes += buffer[..<count]
  }
  return (status, bytes)
}

func name(_ text: String) -> FileName {
  guard let name = FileName(text) else { preconditionFailure("not a name: \(text)") }
  return name
}

extension DriveHandle {
  func write(_ text: String, at offset: Int64 = 0) throws(Errno) { try write(Array(text.utf8), at: offset) }

  func write(_ bytes: [UInt8], at offset: Int64) throws(Errno) {
    var failure: Errno?
    bytes.withUnsafeBytes { raw in
      do throws(Errno) { try write(raw, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Everything that this handle sees.
  func text() throws(Errno) -> String {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var result: Result<Int, Errno> = .success(0)
    buffer.withUnsafeMutableBytes { raw in
      do throws(Errno) { result = .success(try read(into: raw, at: 0)) } catch { result = .failure(error) }
    }
    return String(decoding: buffer.prefix(try result.get()), as: UTF8.self)
  }

  func close() throws(Errno) {
    defer { release() }
    try flush()
  }
}

extension BackupDrive {
  /// Walks to a node.
  func node(_ path: String) throws(Errno) -> DriveNode {
    var node = root
    for part in path.split(separator: "/") { node = try lookup(name(String(part)), in: node) }
    return node
  }

  func folder(of path: String) throws(Errno) -> (DriveNode, FileName) {
    let parts = path.split(separator: "/").map(String.init)
    return (try node(parts.dropLast().joined(separator: "/")), name(parts.last ?? ""))
  }

  /// Makes or overwrites a file and commits it.
  func write(_ path: String, _ text: String) throws(Errno) {
    let (folder, name) = try folder(of: path)
    let (_, handle) = try create(name, in: folder, exclusive: false)
    try handle.write(text)
    try handle.close()
  }

  func text(_ path: String) throws(Errno) -> String {
    let handle = try open(try node(path), reading: true, writing: false, truncate: false, append: false)
    defer { handle.release() }
    return try handle.text()
  }

  func edit(_ path: String) throws(Errno) -> DriveHandle {
    try open(try node(path), reading: true, writing: true, truncate: false, append: false)
  }

  func read(_ path: String) throws(Errno) -> DriveHandle {
    try open(try node(path), reading: true, writing: false, truncate: false, append: false)
  }

  func rename(_ old: String, _ new: String, _ rule: Descriptor.RenameRule = .replace) throws(Errno) {
    let (from, oldName) = try folder(of: old)
    let (to, newName) = try folder(of: new)
    try rename(oldName, in: from, to: newName, in: to, rule: rule)
  }

  func remove(_ path: String) throws(Errno) {
    let (folder, name) = try folder(of: path)
    try remove(name, in: folder)
  }

  @discardableResult
  func makeDirectory(_ path: String) throws(Errno) -> DriveNode {
    let (folder, name) = try folder(of: path)
    return try makeDirectory(name, in: folder)
  }

  func names(_ path: String = "") throws(Errno) -> [String] {
    try entries(of: try node(path)).map(\.name.description).sorted()
  }
}
