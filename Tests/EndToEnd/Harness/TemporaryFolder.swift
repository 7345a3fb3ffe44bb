#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where temporary files go.
enum TemporaryFolder {
  /// TMPDIR, or what is usual.
  static let top: String = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
}

/// Makes a folder for `body`, open to every user, and removes it afterwards with all that is in it.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
  var template = Array((TemporaryFolder.top + "/foldicfs-test-XXXXXX").utf8CString)
  guard mkdtemp(&template) != nil else { throw ToolError(description: "cannot make a temporary folder") }
  let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  chmod(path, 0o755)
  defer {
    // Never through a mount that could not be removed: what lies there is not ours to delete.
    _ = try? ToolRun.run("rm", "-rf", "--one-file-system", path)
  }
  return try body(path)
}
