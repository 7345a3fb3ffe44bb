#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The `foldicfs` that was built with these tests.
enum BuiltBinary {
  /// Its path: the folder of the running test program.
  static let path: String = {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : CommandLine.arguments[0]
    let beside = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/foldicfs"
    return access(String(beside), X_OK) == 0 ? String(beside) : repository + "/.build/debug/foldicfs"
  }()

  /// The folder of Package.swift.
  static let repository: String = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

  /// The real libraries for tests, which are not part of the repository.
  static let fixtures: String = {
    let parent = repository.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    return parent + "/shared/fixtures/photoslibraries"
  }()

  static let hasFixtures = access(fixtures, R_OK) == 0

  /// Process numbers of daemons that serve `mountpoint`.
  static func daemons(of mountpoint: String) -> [pid_t] {
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var found: [pid_t] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let process = pid_t(name), let arguments = try? FileContents.read("/proc/\(name)/cmdline") else { continue }
      let words = arguments.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      if words.first.map({ $0.hasSuffix("/foldicfs") }) == true, words.contains(mountpoint) { found.append(process) }
    }
    return found
  }

  /// Resident memory of a process in KiB.
  static func residentMemory(of process: pid_t) throws -> Int {
    let status = String(decoding: try FileContents.read("/proc/\(process)/status"), as: UTF8.self)
    for line in status.split(separator: "\n") where line.hasPrefix("VmRSS:") {
      if let value = line.split(separator: " ").compactMap({ Int($0) }).first { return value }
    }
    throw ToolError(description: "no VmRSS of process \(process)")
  }
}
