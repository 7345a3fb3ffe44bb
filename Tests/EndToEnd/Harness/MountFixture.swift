import LibraryMaker

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A library mounted by the built binary in the background, as a user does it.
final class MountFixture {
  /// The folder it is mounted on.
  let path: String
  private let library: String
  private let options: [String]

  /// The backup folder inside the mount.
  var backup: String { path + "/Backup" }

  init(library: String, at path: String, options: [String]) {
    self.library = library
    self.path = path
    self.options = options
  }

  /// Mounts; the command returns when the tree can be used.
  func mount() throws {
    var arguments = [BuiltBinary.path, library, path]
    if !options.isEmpty { arguments += ["-o", options.joined(separator: ",")] }
    let result = try RunningTool(arguments).wait(seconds: 60)
    guard result.code == 0 else { throw ToolError(description: "\(result)") }
  }

  /// The daemon's process number.
  func daemon() throws -> pid_t {
    guard let process = BuiltBinary.daemons(of: path).first else {
      throw ToolError(description: "no daemon serves \(path)")
    }
    return process
  }

  /// Kills the daemon as the kernel's memory killer would. The dead mount stays.
  func killDaemon(_ process: pid_t) throws {
    kill(process, SIGKILL)
    guard waitUntil(seconds: 20, { BuiltBinary.daemons(of: self.path).isEmpty }) else {
      throw ToolError(description: "process \(process) does not die")
    }
  }

  /// Unmounts with the command, and waits until the daemon has gone.
  func unmount() throws {
    do { try ToolRun.checkUnlessBusy(BuiltBinary.path, "unmount", path) } catch {
      throw ToolError(description: "\(error)\nheld by: \(Self.holders(of: path))")
    }
    guard waitUntil(seconds: 60, { BuiltBinary.daemons(of: self.path).isEmpty }) else {
      throw ToolError(description: "the daemon of \(path) stays after unmount")
    }
  }

  /// The processes that have something below `path` open, as their folder, or mapped.
  private static func holders(of path: String) -> [String] {
    ((try? FolderListing.names("/proc")) ?? []).filter { Int($0) != nil }.compactMap { process in
      let fds = ((try? FolderListing.names("/proc/\(process)/fd")) ?? []).map { "fd/\($0)" }
      let held = (fds + ["cwd", "root", "exe"]).compactMap { entry -> String? in
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/\(process)/\(entry)", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let target = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return target.hasPrefix(path) ? "\(entry) -> \(target)" : nil
      }
      let maps = (try? FileContents.read("/proc/\(process)/maps")).map { String(decoding: $0, as: UTF8.self) } ?? ""
      let name = (try? FileContents.read("/proc/\(process)/comm")).map { String(decoding: $0, as: UTF8.self) } ?? ""
      guard !held.isEmpty || maps.contains(path) else { return nil }
      return "\(process) \(name): \(held)\(maps.contains(path) ? " mapped" : "")"
    }
  }

  /// Whether something is mounted at `path`, alive or dead.
  static func isMounted(_ path: String) throws -> Bool {
    let mounts = String(decoding: try FileContents.read("/proc/self/mounts"), as: UTF8.self)
    return mounts.split(separator: "\n").contains { $0.split(separator: " ").dropFirst().first == Substring(path) }
  }

  /// Takes the mount away whatever state it is in.
  func clear() {
    if (try? Self.isMounted(path)) == true { _ = try? ToolRun.run("fusermount3", "-u", "-z", path) }
    guard !waitUntil(seconds: 10, { BuiltBinary.daemons(of: self.path).isEmpty }) else { return }
    for process in BuiltBinary.daemons(of: path) { kill(process, SIGKILL) }
  }

  /// Mounts an existing library for `body`; the mount never outlives it.
  static func with<Result>(
    library: String, options: [String] = [], _ body: (MountFixture) throws -> Result
  ) throws -> Result {
    try withTemporaryFolder { folder in
      let mountpoint = folder + "/mount"
      try ToolRun.check("mkdir", mountpoint)
      let fixture = MountFixture(library: library, at: mountpoint, options: options)
      defer { fixture.clear() }
      try fixture.mount()
      return try body(fixture)
    }
  }

  /// Writes `plan` and mounts it for `body`, with a backup on `drive` when there is one.
  static func with<Result>(
    _ plan: LibraryPlan = .sample, backup drive: String? = nil, options: [String] = [],
    _ body: (MountFixture, LibraryManifest) throws -> Result
  ) throws -> Result {
    try withTemporaryFolder { folder in
      let manifest = try LibraryMaker.write(plan, to: folder + "/Sample.photoslibrary")
      if let drive { try ToolRun.check(BuiltBinary.path, "init", drive) }
      let all = options + (drive.map { ["backup=\($0)"] } ?? [])
      return try with(library: manifest.path, options: all) { try body($0, manifest) }
    }
  }
}
